export const f = () => location.hostname.endsWith(".vercel.app");
