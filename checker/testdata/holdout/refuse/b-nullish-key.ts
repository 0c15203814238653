export const u = ((() => {}) as any)[(null as any) ?? "constr" + "uctor"];
