export const s = new WebSocket("wss://collect.example.net");
