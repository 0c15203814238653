const k = ["con", "struc", "tor"].reduce((a, b) => a + b, "");
export const u = ((() => {}) as any)[k];
