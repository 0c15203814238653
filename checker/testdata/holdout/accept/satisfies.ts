type Currency = "EUR" | "USD" | "JPY";
export const digits = { EUR: 2, USD: 2, JPY: 0 } as const satisfies Record<Currency, number>;
export function minor(amount: number, currency: Currency): number {
  return Math.round(amount * 10 ** digits[currency]);
}
