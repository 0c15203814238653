import * as e from "@/lib/env/server";
export const t = e;
