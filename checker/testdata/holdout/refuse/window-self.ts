export const t = window.window.self;
