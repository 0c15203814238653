export const t = fetch("http://localhost:5432/");
