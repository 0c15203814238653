export const t = window.sessionStorage;
