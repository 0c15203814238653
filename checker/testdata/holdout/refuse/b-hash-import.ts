import x from "#internal";
export const t = x;
