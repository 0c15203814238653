export const f = (el: HTMLElement, k: string, v: string) => el.setAttribute(k, v);
