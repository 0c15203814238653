export function toCsv(rows: Array<Record<string, string | number>>, columns: string[]): string {
  let out = columns.join(";") + "\n";
  for (const row of rows) {
    out += columns.map((c) => String(row[c] ?? "")).join(";") + "\n";
  }
  return out;
}
export function hexOf(bytes: Uint8Array): string {
  let s = "";
  for (const b of bytes) s += b.toString(16).padStart(2, "0");
  return s;
}
export const caesar = (s: string, by: number) =>
  s.replace(/[a-z]/g, (c) => String.fromCharCode(((c.charCodeAt(0) - 97 + by) % 26) + 97));
