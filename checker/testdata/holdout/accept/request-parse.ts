export async function readBody(request: Request, max = 10_000): Promise<Record<string, unknown> | null> {
  const length = Number(request.headers.get("content-length") ?? "0");
  if (length > max) return null;
  const type = request.headers.get("content-type")?.split(";")[0]?.trim();
  if (type !== "application/json") return null;
  const body: unknown = await request.json().catch(() => null);
  return typeof body === "object" && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : null;
}
