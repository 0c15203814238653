export function splitEvenly(cents: number, people: readonly string[]): Record<string, number> {
  if (people.length === 0) throw new RangeError("split needs at least one person");
  const base = Math.trunc(cents / people.length);
  let rest = cents - base * people.length;
  const out: Record<string, number> = {};
  for (const who of people) {
    out[who] = base + (rest > 0 ? 1 : 0);
    rest--;
  }
  return out;
}
