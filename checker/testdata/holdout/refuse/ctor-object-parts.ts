const parts = { a: "constr", b: "uctor" };
export const u = ((() => {}) as any)[parts.a + parts.b];
