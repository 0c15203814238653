export const go = (d: string) => window.open("https://collect.example.net/?" + d);
