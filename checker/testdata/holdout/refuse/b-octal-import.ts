import x from "f\u0073";
export const t = x;
