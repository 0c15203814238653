import * as e from "../lib/./x/../env.ts";
export const t = e;
