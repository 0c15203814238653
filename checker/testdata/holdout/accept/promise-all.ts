export async function loadAll<T>(ids: string[], load: (id: string) => Promise<T>): Promise<{ ok: T[]; failed: string[] }> {
  const results = await Promise.allSettled(ids.map((id) => load(id)));
  const ok: T[] = [];
  const failed: string[] = [];
  results.forEach((result, i) => {
    if (result.status === "fulfilled") ok.push(result.value);
    else failed.push(ids[i]);
  });
  return { ok, failed };
}
