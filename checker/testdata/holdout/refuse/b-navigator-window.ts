export const t = window.navigator.userAgent;
