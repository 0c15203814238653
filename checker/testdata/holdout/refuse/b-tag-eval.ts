export const t = eval`1`;
