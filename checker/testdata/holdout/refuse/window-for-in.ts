export const keys: string[] = [];
for (const k in window) keys.push(k);
