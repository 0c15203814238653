export const t = window.navigator.vendor;
