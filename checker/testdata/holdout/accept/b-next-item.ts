export function nextOf<T>(xs: readonly T[], x: T): T | undefined {
  return xs[xs.indexOf(x) + 1] ?? xs[0];
}
export const rotate = <T,>(xs: T[], index: number) => xs[(index + 1) % xs.length];
