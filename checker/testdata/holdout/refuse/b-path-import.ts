import path from "path";
export const t = path.sep;
