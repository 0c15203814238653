const scheme = "https:";
const host = "//collect.example.net";
export const t = (q: string) => fetch(scheme + host + "/" + q);
