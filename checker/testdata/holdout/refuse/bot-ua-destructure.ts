const { userAgent } = navigator;
export const t = userAgent;
