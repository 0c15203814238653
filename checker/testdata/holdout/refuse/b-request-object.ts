export const t = new Request("//collect.example.net/x");
