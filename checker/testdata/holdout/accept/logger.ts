type Level = "info" | "warn" | "error";
export function log(level: Level, message: string, extra: Record<string, unknown> = {}) {
  console[level](`[splitter] ${message}`, extra);
}
export const time = async <T,>(name: string, run: () => Promise<T>): Promise<T> => {
  const start = performance.now();
  try {
    return await run();
  } finally {
    console.debug(`${name}: ${(performance.now() - start).toFixed(1)} ms`);
  }
};
