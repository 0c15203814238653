export const t = ["return 1"].map(Function as any);
