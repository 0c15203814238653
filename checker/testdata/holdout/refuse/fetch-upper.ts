export const t = fetch("HTTPS://COLLECT.EXAMPLE.NET/x");
