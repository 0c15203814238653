import * as all from "@/db";
export const t = all;
