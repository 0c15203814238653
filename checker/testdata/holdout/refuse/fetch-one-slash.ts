export const t = fetch("http:/collect.example.net/x");
