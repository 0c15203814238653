export const t = fetch("/\n/collect.example.net/x");
