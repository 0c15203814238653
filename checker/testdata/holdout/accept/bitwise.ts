export function hash(s: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < s.length; i++) {
    h ^= s.charCodeAt(i);
    h = Math.imul(h, 0x01000193) >>> 0;
  }
  return h;
}
export const colour = (name: string) => palette[hash(name) % palette.length];
const palette = ["#e11d48", "#0ea5e9", "#22c55e", "#a855f7"];
