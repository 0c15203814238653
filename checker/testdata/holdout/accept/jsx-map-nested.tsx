export function Calendar({ weeks, today }: { weeks: (number | null)[][]; today: number }) {
  return (
    <div role="grid">
      {weeks.map((week, w) => (
        <div role="row" key={w}>
          {week.map((day, d) => (day === null ? <span key={d} /> : <span key={d} role="gridcell" aria-current={day === today ? "date" : undefined}>{day}</span>))}
        </div>
      ))}
    </div>
  );
}
