// @ts-nocheck
export const a: number = "x";
