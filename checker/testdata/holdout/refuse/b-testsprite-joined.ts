export const f = (s: string) => s.includes("Test" + "Sprite");
