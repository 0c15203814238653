export const f = (request: Request) => request.headers.get("User-Agent")?.includes("bot");
