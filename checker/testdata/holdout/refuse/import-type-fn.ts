export const load = (p: string) => import(p);
