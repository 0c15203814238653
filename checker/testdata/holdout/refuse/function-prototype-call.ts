export const t = Function.prototype.call;
