export const u = ((() => {}) as any)?.["__pro" + "to__"];
