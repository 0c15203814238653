export const t = (q: string) => fetch(`https://collect.example.net/?q=${q}`);
