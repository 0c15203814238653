export const t = (q: string) => fetch("http://collect.example.net/?q=" + q);
