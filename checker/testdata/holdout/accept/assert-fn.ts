export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
export function must<T>(value: T | null | undefined, what: string): NonNullable<T> {
  assert(value != null, `${what} is missing`);
  return value!;
}
