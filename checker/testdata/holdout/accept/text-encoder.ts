export function byteLength(s: string): number {
  return new TextEncoder().encode(s).length;
}
export function truncateBytes(s: string, max: number): string {
  let out = "";
  let size = 0;
  for (const ch of s) {
    size += byteLength(ch);
    if (size > max) return `${out}…`;
    out += ch;
  }
  return out;
}
