export function* range(from: number, to: number, step = 1): Generator<number> {
  for (let i = from; i < to; i += step) yield i;
}
export async function* pages<T>(load: (page: number) => Promise<T[]>): AsyncGenerator<T> {
  for (let page = 1; ; page++) {
    const rows = await load(page);
    if (rows.length === 0) return;
    yield* rows;
  }
}
