export const f = () => document.createElementNS("http://www.w3.org/2000/svg", "script");
