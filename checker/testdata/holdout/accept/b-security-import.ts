import { mayOpen } from "@/lib/groups";
import { readToken } from "./group-token";
import { maxName } from "@/lib/text";
export const check = (raw: string) => mayOpen(raw) && readToken(raw) !== null && raw.length < maxName;
