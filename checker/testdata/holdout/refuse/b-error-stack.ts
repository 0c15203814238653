export const t = (e: any) => e["prepare" + "StackTrace"];
