export function groupBy<T, K extends string>(items: readonly T[], keyOf: (item: T) => K): Partial<Record<K, T[]>> {
  const out: Partial<Record<K, T[]>> = {};
  for (const item of items) {
    const key = keyOf(item);
    (out[key] ??= []).push(item);
  }
  return out;
}
export function countBy<T>(items: T[], keyOf: (item: T) => string) {
  return items.reduce<Record<string, number>>((acc, item) => {
    acc[keyOf(item)] = (acc[keyOf(item)] ?? 0) + 1;
    return acc;
  }, {});
}
