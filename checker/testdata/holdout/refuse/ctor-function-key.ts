const key = () => "constr" + "uctor";
export const u = ((() => {}) as any)[key()];
