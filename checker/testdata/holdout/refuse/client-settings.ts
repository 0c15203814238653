export const t = (db: any) => db.$client.options;
