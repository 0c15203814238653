import { Suspense, use } from "react";
function Total({ promise }: { promise: Promise<number> }) {
  const cents = use(promise);
  return <output>{(cents / 100).toLocaleString("en", { style: "currency", currency: "EUR" })}</output>;
}
export function TotalCard({ promise }: { promise: Promise<number> }) {
  return (
    <Suspense fallback={<span className="skeleton" aria-hidden="true" />}>
      <Total promise={promise} />
    </Suspense>
  );
}
