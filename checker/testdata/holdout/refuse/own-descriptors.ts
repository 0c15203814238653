export const t = Object.getOwnPropertyDescriptors(Array);
