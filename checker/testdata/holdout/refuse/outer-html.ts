export const f = (el: HTMLElement, h: string) => {
  el.outerHTML = h;
};
