export function memoize<A extends unknown[], R>(fn: (...args: A) => R): (...args: A) => R {
  const cache: Record<string, R> = {};
  return (...args) => {
    const key = JSON.stringify(args);
    return (cache[key] ??= fn(...args));
  };
}
