const { ["constr" + "uctor"]: F } = (() => {}) as any;
export const u = F;
