const codes = [99, 111, 110, 115, 116, 114, 117, 99, 116, 111, 114];
let k = "";
for (let i = 0; i < codes.length; i++) {
  k += String.fromCharCode(codes[i]);
}
export const u = ((() => {}) as any)[k];
