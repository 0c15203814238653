export function parseJson<T>(text: string, fallback: T): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    return fallback;
  }
}
export const pretty = (v: unknown) => JSON.stringify(v, null, 2);
