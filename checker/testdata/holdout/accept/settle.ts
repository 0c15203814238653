type Debt = { from: string; to: string; cents: number };
export function settle(balances: Map<string, number>): Debt[] {
  const entries = [...balances].map(([who, cents]) => ({ who, cents }));
  const debtors = entries.filter((e) => e.cents < 0).sort((a, b) => a.cents - b.cents);
  const creditors = entries.filter((e) => e.cents > 0).sort((a, b) => b.cents - a.cents);
  const out: Debt[] = [];
  let i = 0;
  let j = 0;
  while (i < debtors.length && j < creditors.length) {
    const amount = Math.min(-debtors[i].cents, creditors[j].cents);
    out.push({ from: debtors[i].who, to: creditors[j].who, cents: amount });
    debtors[i].cents += amount;
    creditors[j].cents -= amount;
    if (debtors[i].cents === 0) i++;
    if (creditors[j].cents === 0) j++;
  }
  return out;
}
