export const t = global
  .x;
