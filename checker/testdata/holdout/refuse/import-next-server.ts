import { after } from "next/server";
export const t = after;
