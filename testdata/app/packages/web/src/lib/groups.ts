export function mayOpen(token: string): boolean {
  return /^[a-z2-7]{20}$/.test(token);
}
