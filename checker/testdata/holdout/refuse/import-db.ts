import { tables } from "@/db/client";
export const t = tables;
