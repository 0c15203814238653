const me = self;
export const t = me;
