export const t = localStorage.getItem("x");
