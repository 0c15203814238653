type Handler<T> = (value: T) => void;
export function createEmitter<Events extends Record<string, unknown>>() {
  const handlers: { [K in keyof Events]?: Set<Handler<Events[K]>> } = {};
  return {
    on<K extends keyof Events>(name: K, handler: Handler<Events[K]>) {
      (handlers[name] ??= new Set()).add(handler);
      return () => handlers[name]?.delete(handler);
    },
    emit<K extends keyof Events>(name: K, value: Events[K]) {
      handlers[name]?.forEach((handler) => handler(value));
    },
  };
}
