import x from "https://esm.sh/lodash";
export const t = x;
