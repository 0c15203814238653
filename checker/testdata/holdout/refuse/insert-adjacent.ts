export const f = (el: HTMLElement, h: string) => el.insertAdjacentHTML("beforeend", h);
