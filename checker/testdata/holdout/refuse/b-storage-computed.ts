export const t = (window as any)["local" + "Storage"];
