"use client";
import { useState } from "react";
export function Sortable({ initial }: { initial: string[] }) {
  const [items, setItems] = useState(initial);
  const [from, setFrom] = useState<number | null>(null);
  const drop = (to: number) => {
    if (from === null) return;
    setItems((old) => {
      const next = [...old];
      const [moved] = next.splice(from, 1);
      if (moved !== undefined) next.splice(to, 0, moved);
      return next;
    });
    setFrom(null);
  };
  return (
    <ol>
      {items.map((item, i) => (
        <li key={item} draggable onDragStart={() => setFrom(i)} onDragOver={(e) => e.preventDefault()} onDrop={() => drop(i)}>
          {item}
        </li>
      ))}
    </ol>
  );
}
