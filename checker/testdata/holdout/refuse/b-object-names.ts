export const t = Object.getOwnPropertyNames(Math);
