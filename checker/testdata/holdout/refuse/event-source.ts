export const s = (u: string) => new EventSource(u);
