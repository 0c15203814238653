export const t = Object["getPrototypeOf"]({});
