export const pick = (k: string) => (window as any)[k];
