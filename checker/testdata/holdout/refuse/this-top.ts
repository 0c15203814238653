export const t = this;
