export const t = opener?.location;
