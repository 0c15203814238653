const g: any = globalThis;
export const t = g.process;
