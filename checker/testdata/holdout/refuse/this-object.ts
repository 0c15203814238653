export const o = {
  f() {
    return (this as any)["x"];
  },
};
