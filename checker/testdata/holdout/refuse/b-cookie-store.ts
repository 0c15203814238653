export const t = (window as any).cookieStore.getAll();
