import { useSyncExternalStore } from "react";
export function createStore<T>(initial: T) {
  let value = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const set = (next: T | ((old: T) => T)) => {
    value = typeof next === "function" ? (next as (old: T) => T)(value) : next;
    listeners.forEach((l) => l());
  };
  return { get: () => value, set, use: () => useSyncExternalStore(subscribe, () => value, () => initial) };
}
