export const t = (h: string) => fetch(`https://${h}/x`);
