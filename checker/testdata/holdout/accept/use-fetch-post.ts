export async function createGroup(name: string, signal?: AbortSignal): Promise<{ id: string }> {
  const body = new FormData();
  body.set("name", name);
  const response = await fetch("/api/groups", { method: "POST", body, signal, credentials: "same-origin" });
  const data: unknown = await response.json();
  if (!response.ok || typeof data !== "object" || data === null || !("id" in data)) {
    throw new Error("The group could not be made");
  }
  return data as { id: string };
}
