export const t = top!.name;
