/** Splits an amount in cents among people. The shares add up to the amount. */
export function split(cents: number, people: number): number[] {
  const each = Math.floor(cents / people);
  const shares: number[] = [];
  for (let i = 0; i < people; i++) {
    shares.push(each);
  }
  return shares;
}
