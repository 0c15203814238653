import { unstable_cache } from "next/cache";
export const t = unstable_cache;
