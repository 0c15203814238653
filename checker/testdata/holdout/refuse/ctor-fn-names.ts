function constr() {}
function uctor() {}
export const u = ((() => {}) as any)[constr.name + uctor.name];
