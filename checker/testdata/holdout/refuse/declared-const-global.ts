declare const Deno: any;
export const t = Deno.env.get("X");
