export const t = { [Symbol.unscopables]: {} };
