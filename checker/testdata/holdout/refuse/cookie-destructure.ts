const { cookie } = document;
export const t = cookie;
