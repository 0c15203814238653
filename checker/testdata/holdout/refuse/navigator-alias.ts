const n = navigator as any;
export const t = n;
