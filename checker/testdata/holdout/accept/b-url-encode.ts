export const toQuery = (o: Record<string, string | number | undefined>) =>
  Object.entries(o)
    .filter((e): e is [string, string | number] => e[1] !== undefined)
    .map(([k, v]) => `${encodeURIComponent(k)}=${encodeURIComponent(v)}`)
    .join("&");
