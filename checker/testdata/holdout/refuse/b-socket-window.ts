export const w = new (window as any).WebSocket("/x");
