let k = "constr";
k += "uctor";
export const u = ((() => {}) as any)[k];
