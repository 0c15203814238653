const parts = ["uctor", "constr"];
export const u = ((() => {}) as any)[parts[1] + parts[0]];
