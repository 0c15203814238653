export const t = (o: any) => o["connection" + "String"];
