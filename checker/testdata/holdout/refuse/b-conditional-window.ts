export const t = (c: boolean) => (c ? window : null);
