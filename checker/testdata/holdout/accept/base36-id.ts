const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
export function randomId(length = 12): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (b) => alphabet[b % alphabet.length]).join("");
}
export const uuid = () => crypto.randomUUID();
export const short = (n: number) => n.toString(36).slice(-6);
