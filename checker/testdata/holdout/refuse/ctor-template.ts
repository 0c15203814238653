const a = "con";
export const t = (() => {}) as any;
export const u = t[`${a}structor`];
