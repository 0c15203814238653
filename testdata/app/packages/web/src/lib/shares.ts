import { formatCents, split } from "../../../core/src/index";

export function shareLabels(cents: number, names: string[]): string[] {
  const shares = split(cents, names.length);
  return names.map((name, i) => `${name}: ${formatCents(shares[i])}`);
}
