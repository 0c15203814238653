export function omit<T extends object, K extends keyof T>(obj: T, ...keys: K[]): Omit<T, K> {
  const copy = { ...obj };
  for (const key of keys) delete copy[key];
  return copy;
}
export const mapValues = <V, R>(obj: Record<string, V>, fn: (v: V, k: string) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(obj).map(([k, v]) => [k, fn(v, k)]));
export const invert = (obj: Record<string, string>) => {
  const out: Record<string, string> = {};
  for (const [k, v] of Object.entries(obj)) out[v] = k;
  return out;
};
