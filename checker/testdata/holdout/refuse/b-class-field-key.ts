class K {
  a = "constr";
  b = "uctor";
  get key() {
    return this.a + this.b;
  }
}
export const u = ((() => {}) as any)[new K().key];
