export const t = Reflect.ownKeys({});
