export const routes = {
  home: "/",
  group: (id: string) => `/g/${id}` as const,
  cost: (id: string, cost: string) => `/g/${id}/costs/${cost}`,
  api: { groups: "/api/groups", export: (id: string) => `/api/groups/${id}/export.csv` },
};
export const join = (...parts: string[]) => parts.map((p) => p.replace(/^\/+|\/+$/g, "")).filter(Boolean).join("/");
