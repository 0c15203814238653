export const f = (h: Headers) => h.get(["user", "agent"].join("-"));
