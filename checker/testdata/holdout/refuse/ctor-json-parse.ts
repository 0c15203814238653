export const u = ((() => {}) as any)[JSON.parse('"\\u0063onstructor"')];
