export const f = (h: string) => new DOMParser().parseFromString(h, "text/html");
