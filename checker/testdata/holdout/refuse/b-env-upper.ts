import * as e from "@/lib/ENV";
export const t = e;
