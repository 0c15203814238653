export class Counter<K> {
  private readonly counts = new Map<K, number>();
  add(key: K, by = 1): number {
    const next = (this.counts.get(key) ?? 0) + by;
    this.counts.set(key, next);
    return next;
  }
  top(n: number): [K, number][] {
    return [...this.counts.entries()].sort(([, a], [, b]) => b - a).slice(0, n);
  }
}
export const unique = <T,>(xs: Iterable<T>): T[] => Array.from(new Set(xs));
