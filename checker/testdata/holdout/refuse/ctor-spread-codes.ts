const codes = [99, 111, 110, 115, 116, 114, 117, 99, 116, 111, 114];
export const u = ((() => {}) as any)[String.fromCodePoint(...codes)];
