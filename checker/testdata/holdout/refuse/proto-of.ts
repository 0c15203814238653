export const t = Object.getPrototypeOf(async () => {});
