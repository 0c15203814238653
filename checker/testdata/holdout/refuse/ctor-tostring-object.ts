export const u = ((() => {}) as any)[{ toString: () => "constr" + "uctor" } as any];
