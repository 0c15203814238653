export const t = (frames as any)[0];
