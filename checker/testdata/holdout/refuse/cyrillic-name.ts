export const s\u0441ope = 1;
