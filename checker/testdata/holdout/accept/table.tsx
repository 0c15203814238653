export function Balance({ rows }: { rows: ReadonlyArray<{ who: string; paid: number; owes: number }> }) {
  const total = rows.reduce((s, r) => s + r.paid, 0);
  return (
    <table>
      <caption className="sr-only">Who paid what &amp; who owes what</caption>
      <thead>
        <tr>
          <th scope="col">Person</th>
          <th scope="col">Paid</th>
          <th scope="col">Owes</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.who} className={row.owes > 0 ? "debt" : undefined}>
            <th scope="row">{row.who}</th>
            <td>{row.paid}</td>
            <td>{row.owes || "–"}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td colSpan={3}>Total: {total} &euro; &nbsp; ({rows.length} people)</td>
        </tr>
      </tfoot>
    </table>
  );
}
