export const t = Function.apply(null, ["return 1"]);
