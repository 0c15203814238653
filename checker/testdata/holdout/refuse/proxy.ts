export const t = new Proxy({}, { get: (_t, k) => k });
