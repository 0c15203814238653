import text from "./format?raw";
export const t = text;
