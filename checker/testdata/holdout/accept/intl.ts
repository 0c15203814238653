const money = new Map<string, Intl.NumberFormat>();
export function formatMoney(cents: number, currency = "EUR", locale = "de-DE"): string {
  const key = `${locale}/${currency}`;
  let format = money.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale, { style: "currency", currency, minimumFractionDigits: 2 });
    money.set(key, format);
  }
  return format.format(cents / 100).replace(/\u00a0/g, " ");
}
export const relative = (days: number) => new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-days, "day");
export const list = (names: string[]) => new Intl.ListFormat("en", { type: "conjunction" }).format(names);
