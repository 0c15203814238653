export const isEmail = (s: string) => /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/.test(s);
export const slug = (s: string) =>
  s
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
export const isHttp = (s: string) => /^https?:\/\/[^/]+\//i.test(s);
export const pathParts = (p: string) => p.split("/").filter((x) => x !== "" && x !== ".");
export const hexColour = /^#(?:[0-9a-f]{3}){1,2}$/i;
export const ratio = (a: number, b: number) => a / b / 2;
