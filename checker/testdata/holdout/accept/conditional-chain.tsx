export function Badge({ n }: { n: number }) {
  const tone = n < 0 ? "error" : n === 0 ? "muted" : n < 10 ? "ok" : n < 100 ? "warn" : "hot";
  const label = n > 99 ? "99+" : String(n);
  return <span className={"badge badge-" + tone} title={"Count: " + n}>{label}</span>;
}
