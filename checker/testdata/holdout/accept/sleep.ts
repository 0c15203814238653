export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export async function retry<T>(run: () => Promise<T>, times = 3): Promise<T> {
  let last: unknown;
  for (let i = 0; i < times; i++) {
    try {
      return await run();
    } catch (error) {
      last = error;
      await sleep(2 ** i * 100);
    }
  }
  throw last;
}
