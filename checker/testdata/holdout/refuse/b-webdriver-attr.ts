export const f = () => document.documentElement.getAttribute("webdriver") !== null;
