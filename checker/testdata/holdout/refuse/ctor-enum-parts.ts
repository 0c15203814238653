enum P {
  A = "constr",
  B = "uctor",
}
export const u = ((() => {}) as any)[P.A + P.B];
