"use client";
import Link from "next/link";
import { usePathname, useRouter, useSearchParams } from "next/navigation";

export function Tabs({ tabs }: { tabs: { id: string; label: string }[] }) {
  const router = useRouter();
  const pathname = usePathname();
  const params = useSearchParams();
  const select = (id: string) => {
    const next = new URLSearchParams(params.toString());
    next.set("tab", id);
    router.replace(`${pathname}?${next}`, { scroll: false });
  };
  return (
    <nav aria-label="Tabs">
      {tabs.map(({ id, label }) => (
        <button key={id} type="button" aria-current={params.get("tab") === id ? "page" : undefined} onClick={() => select(id)}>
          {label}
        </button>
      ))}
      <Link href={{ pathname: "/groups", query: { sort: "name" } }} prefetch={false}>All</Link>
    </nav>
  );
}
