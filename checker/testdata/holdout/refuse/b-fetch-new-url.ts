export const t = fetch(new URL("/x", "https://collect.example.net"));
