export const o = { setTimeout };
