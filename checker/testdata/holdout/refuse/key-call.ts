const next = () => document.title;
export const u = ((() => {}) as any)[next()];
