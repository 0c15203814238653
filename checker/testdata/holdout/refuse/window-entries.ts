export const all = Object.entries(window);
