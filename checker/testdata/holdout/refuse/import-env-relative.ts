import * as e from "./env";
export const t = e;
