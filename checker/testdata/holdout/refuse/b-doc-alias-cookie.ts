const d = document;
export const t = d.cookie;
