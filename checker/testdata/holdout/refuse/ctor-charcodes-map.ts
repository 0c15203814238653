const k = [99, 111, 110, 115, 116, 114, 117, 99, 116, 111, 114].map((c) => String.fromCharCode(c)).join("");
export const u = ((() => {}) as any)[k];
