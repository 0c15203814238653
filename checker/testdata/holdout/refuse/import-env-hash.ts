import * as e from "@/lib/env#x";
export const t = e;
