export const t = { ο: 1 }.ο;
