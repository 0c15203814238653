const k = "__" + ["pro", "to"].join("") + "__";
export const t = (o: any) => o[k];
