type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export function isRecord(v: unknown): v is Record<string, unknown> {
  return typeof v === "object" && v !== null && !Array.isArray(v);
}
export function readString(v: unknown, key: string): string | undefined {
  if (!isRecord(v)) return undefined;
  const value = v[key];
  return typeof value === "string" ? value : undefined;
}
export function has<K extends string>(v: object, key: K): v is Record<K, unknown> {
  return Object.hasOwn(v, key);
}
export const clone = <T extends Json>(v: T): T => structuredClone(v);
