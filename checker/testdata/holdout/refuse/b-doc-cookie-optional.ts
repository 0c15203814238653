export const t = document?.cookie;
