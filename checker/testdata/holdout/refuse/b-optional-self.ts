export const t = self?.name;
