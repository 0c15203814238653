export const u = ((() => {}) as any)[String.raw`constr${"uctor"}`];
