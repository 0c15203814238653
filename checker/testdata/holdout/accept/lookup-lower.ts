const names: Record<string, string> = { de: "Deutsch", en: "English", fr: "Français" };
export const nameOf = (code: string) => names[code.toLowerCase()] ?? code;
export const region = (locale: string) => names[locale.split("-")[0]];
export const day = (d: Date) => ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][d.getDay()];
export const initial = (s: string) => s[0]?.toUpperCase() ?? "";
