export const f = (request: Request) => request.headers.has("x-testsprite-run");
