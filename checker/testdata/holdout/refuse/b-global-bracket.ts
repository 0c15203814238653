export const t = (global as any)["x"];
