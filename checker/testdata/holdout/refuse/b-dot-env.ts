import e from "@/../.env.local";
export const t = e;
