"use cache: private";
export const a = 1;
