const k = ["con", "struct", "or"].join("");
export const t = (() => {}) as any;
export const u = t[k]("return 1")();
