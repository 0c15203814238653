const k = "uctor".padStart(11, "constr");
export const u = ((() => {}) as any)[k];
