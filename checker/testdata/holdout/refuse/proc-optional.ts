export const t = process?.env?.SECRET;
