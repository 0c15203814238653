export const t = indexedDB.open("x");
