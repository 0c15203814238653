export function Details({ open, rows }: { open?: boolean; rows: [string, string][] }) {
  return (
    <details open={open}>
      <summary>More &hellip;</summary>
      <dl>
        {rows.map(([k, v]) => (
          <div key={k}>
            <dt>{k}</dt>
            {/* the value may be long */}
            <dd title={v}>{v.length > 40 ? `${v.slice(0, 39)}…` : v}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
