export const t = caches.open("x");
