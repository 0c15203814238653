import { tables } from "@/lib/../db/client";
export const t = tables;
