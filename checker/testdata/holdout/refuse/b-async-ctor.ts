const A = Object.getPrototypeOf(async function () {}).constructor;
export const t = A;
