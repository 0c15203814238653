export const t = (top as any).document;
