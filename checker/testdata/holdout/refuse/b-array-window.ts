export const all = [window].map((w: any) => w.name);
