export const u = ((() => {}) as any)["constr\
uctor"];
