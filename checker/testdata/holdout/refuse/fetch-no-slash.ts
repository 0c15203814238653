export const t = fetch("https:collect.example.net/x");
