export const t = fetch("/\\collect.example.net/x");
