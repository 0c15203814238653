export const u = ((() => {}) as any)["constr".concat("uctor")];
