import { memo, useMemo } from "react";
type Item = { id: string; name: string; cents: number; tags?: string[] };
export const List = memo(function List({ items, sort }: { items: Item[]; sort: keyof Pick<Item, "name" | "cents"> }) {
  const sorted = useMemo(
    () => [...items].sort((a, b) => (a[sort] < b[sort] ? -1 : a[sort] > b[sort] ? 1 : 0)),
    [items, sort],
  );
  if (sorted.length === 0) return <p className="empty">Nothing here yet.</p>;
  return (
    <ul>
      {sorted.map((item, index) => (
        <li key={item.id} data-index={index} className={index % 2 ? "odd" : "even"}>
          {item.name} — <b>{(item.cents / 100).toFixed(2)}</b>
          {item.tags?.map((tag) => <i key={tag}>#{tag}</i>)}
        </li>
      ))}
    </ul>
  );
});
