class A {
  get f() {
    return (A as any)["constr" + "uctor"];
  }
}
export const u = new A().f;
