export async function withLock<T>(locks: Map<string, Promise<void>>, key: string, run: () => Promise<T>): Promise<T> {
  const before = locks.get(key) ?? Promise.resolve();
  let release!: () => void;
  locks.set(key, new Promise((resolve) => (release = resolve)));
  await before;
  try {
    return await run();
  } finally {
    release();
  }
}
