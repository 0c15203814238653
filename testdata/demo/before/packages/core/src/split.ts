/** Splits an amount in cents among people. The shares add up to the amount. */
export function split(cents: number, people: number): number[] {
  const shares: number[] = [];
  let left = cents;
  for (let i = people; i > 0; i--) {
    const share = Math.ceil(left / i);
    shares.push(share);
    left -= share;
  }
  return shares;
}
