const parts = ["con", "str", "uctor"];
let k = "";
while (parts.length) k += parts.shift();
export const u = ((() => {}) as any)[k];
