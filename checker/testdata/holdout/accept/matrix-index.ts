export function neighbours(m: number[][], r: number, c: number): number {
  let n = 0;
  for (let dr = -1; dr <= 1; dr++) {
    for (let dc = -1; dc <= 1; dc++) {
      if (dr === 0 && dc === 0) continue;
      n += m[r + dr]?.[c + dc] ?? 0;
    }
  }
  return n;
}
export const last = <T,>(xs: T[]): T | undefined => xs[xs.length - 1];
export const middle = (xs: number[]) => xs[Math.floor(xs.length / 2)];
export const wrap = (xs: string[], i: number) => xs[((i % xs.length) + xs.length) % xs.length];
