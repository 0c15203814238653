let k = "";
["con", "struc", "tor"].forEach((p) => {
  k += p;
});
export const u = ((() => {}) as any)[k];
