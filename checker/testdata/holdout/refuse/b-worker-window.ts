export const w = new (window as any).Worker("/x.js");
