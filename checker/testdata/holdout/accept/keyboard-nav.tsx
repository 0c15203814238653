"use client";
import { type KeyboardEvent, useRef, useState } from "react";
export function Menu({ items }: { items: string[] }) {
  const [index, setIndex] = useState(0);
  const refs = useRef<(HTMLButtonElement | null)[]>([]);
  const move = (by: number) => {
    const next = (index + by + items.length) % items.length;
    setIndex(next);
    refs.current[next]?.focus();
  };
  const onKeyDown = (e: KeyboardEvent) => {
    const actions: Record<string, () => void> = { ArrowDown: () => move(1), ArrowUp: () => move(-1), Home: () => move(-index) };
    const action = actions[e.key];
    if (action) {
      e.preventDefault();
      action();
    }
  };
  return (
    <div role="menu" onKeyDown={onKeyDown}>
      {items.map((item, i) => (
        <button
          key={item}
          ref={(el) => {
            refs.current[i] = el;
          }}
          role="menuitem"
          type="button"
          tabIndex={i === index ? 0 : -1}
        >
          {item}
        </button>
      ))}
    </div>
  );
}
