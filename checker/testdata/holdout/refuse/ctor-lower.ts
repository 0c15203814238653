const k = "CONSTRUCTOR".toLowerCase();
export const u = ((() => {}) as any)[k];
