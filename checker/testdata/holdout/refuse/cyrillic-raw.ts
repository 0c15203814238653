const sсope = 1;
export const t = sсope;
