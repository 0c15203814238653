/*
  @ts-nocheck
*/
export const a = 1;
