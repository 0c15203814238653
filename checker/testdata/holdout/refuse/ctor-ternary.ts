export const u = (c: boolean) => ((() => {}) as any)[c ? "constr" + "uctor" : "name"];
