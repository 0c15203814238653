"use client";
type Handlers = Partial<Record<"click" | "keydown", (e: Event) => void>>;
export function dispatch(handlers: Handlers, event: Event) {
  handlers[event.type as keyof Handlers]?.(event);
}
