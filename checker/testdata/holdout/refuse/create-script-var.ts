export const add = (tag: string) => document.body.append(document.createElement(tag));
