export const t = EdgeRuntime;
