export const u = ((() => {}) as any)[(0, "constr" + "uctor")];
