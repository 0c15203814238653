export function withToken(path: string, token: string): string {
  const url = new URL(path, window.location.origin);
  url.searchParams.set("t", token);
  return url.pathname + url.search;
}
