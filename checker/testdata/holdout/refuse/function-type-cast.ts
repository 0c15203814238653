const F = Function as any;
export const t = F("return 1")();
