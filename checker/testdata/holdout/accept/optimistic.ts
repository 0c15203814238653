export async function optimistic<T>(current: T, next: T, set: (v: T) => void, save: (v: T) => Promise<void>) {
  set(next);
  try {
    await save(next);
  } catch (error) {
    set(current);
    throw error;
  }
}
