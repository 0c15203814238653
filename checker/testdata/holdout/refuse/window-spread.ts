export const copy = { ...window };
