export function movingAverage(values: number[], size: number): number[] {
  const out: number[] = [];
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    sum += values[i];
    if (i >= size) sum -= values[i - size];
    if (i >= size - 1) out.push(sum / size);
  }
  return out;
}
export function swap<T>(xs: T[], i: number, offset: number): T[] {
  const copy = xs.slice();
  [copy[i], copy[i + offset]] = [copy[i + offset], copy[i]];
  return copy;
}
