/* eslint-disable */
export const a = 1;
