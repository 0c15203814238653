export const t = ({} as any).__lookupGetter__("x");
