export const t = { Function };
