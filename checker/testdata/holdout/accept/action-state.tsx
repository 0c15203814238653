"use client";
import { startTransition, useActionState, useOptimistic } from "react";
type Cost = { id: string; title: string };
export function Costs({ costs, add }: { costs: Cost[]; add: (prev: string | null, data: FormData) => Promise<string | null> }) {
  const [error, action, pending] = useActionState(add, null);
  const [shown, addShown] = useOptimistic(costs, (list, title: string) => [...list, { id: `new-${list.length}`, title }]);
  return (
    <form
      action={(data) => {
        startTransition(() => addShown(String(data.get("title"))));
        action(data);
      }}
    >
      <input name="title" disabled={pending} />
      {error && <p role="alert">{error}</p>}
      <ul>{shown.map((c) => <li key={c.id}>{c.title}</li>)}</ul>
    </form>
  );
}
