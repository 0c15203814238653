import { region } from "@/lib/env/";
export const t = region;
