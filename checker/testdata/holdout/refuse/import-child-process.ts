import * as cp from "child_process";
export const t = cp;
