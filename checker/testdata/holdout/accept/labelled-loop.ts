export function findPair(xs: number[], target: number): [number, number] | null {
  outer: for (let i = 0; i < xs.length; i++) {
    for (let j = i + 1; j < xs.length; j++) {
      if (xs[i] > target) continue outer;
      if (xs[i] + xs[j] === target) return [i, j];
    }
  }
  return null;
}
