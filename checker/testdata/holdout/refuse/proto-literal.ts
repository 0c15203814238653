export const t = { __proto__: null };
