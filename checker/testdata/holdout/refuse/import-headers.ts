import { headers } from "next/headers";
export const t = () => headers();
