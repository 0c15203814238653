import e from "@/lib/env.local";
export const t = e;
