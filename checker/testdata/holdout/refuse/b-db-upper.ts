import { tables } from "@/DB/client";
export const t = tables;
