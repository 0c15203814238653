export function parseFilter(search: string) {
  const params = new URLSearchParams(search);
  const page = Number.parseInt(params.get("page") ?? "1", 10);
  return {
    page: Number.isNaN(page) ? 1 : Math.max(1, page),
    tags: params.getAll("tag").filter(Boolean),
    sort: params.get("sort") === "name" ? ("name" as const) : ("date" as const),
  };
}
