export const f = (el: HTMLElement, h: string) => Object.assign(el, { innerHTML: h });
