export const t = document.defaultView;
