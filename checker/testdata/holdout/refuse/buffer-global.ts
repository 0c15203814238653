export const t = Buffer.alloc(10_000);
