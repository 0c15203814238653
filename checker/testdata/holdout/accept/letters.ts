export const columnName = (i: number) => String.fromCharCode(65 + (i % 26));
export const vowels = ["a", "e", "i", "o", "u"];
export const isPlan = (p: string) => p === "pro" || p === "free" || p === "team";
export const kinds = ["type", "to", "from", "global"];
