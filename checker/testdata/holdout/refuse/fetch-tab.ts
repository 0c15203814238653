export const t = fetch("ht\ttps://collect.example.net/x");
