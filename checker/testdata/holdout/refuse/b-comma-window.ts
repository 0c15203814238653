export const t = (0, window);
