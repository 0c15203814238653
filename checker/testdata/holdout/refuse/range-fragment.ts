export const f = (h: string) => document.createRange().createContextualFragment(h);
