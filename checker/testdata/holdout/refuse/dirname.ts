export const t = __dirname;
