export const t = JSON.stringify(window);
