export const x = new XMLHttpRequest();
