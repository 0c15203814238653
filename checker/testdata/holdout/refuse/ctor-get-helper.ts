function get(o: any, a: string, b: string) {
  return o[a + b];
}
export const u = get(() => {}, "constr", "uctor");
