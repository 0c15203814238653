export const t = import
("./totals");
