export const t = (el: any) => el.contentWindow.fetch;
