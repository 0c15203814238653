export const Money = {
  zero: 0,
  add: (a: number, b: number) => a + b,
  parse(text: string) {
    const match = /^(?<whole>\d+)(?:[.,](?<rest>\d{1,2}))?$/.exec(text.trim());
    if (!match?.groups) return null;
    const { whole, rest = "0" } = match.groups;
    return Number(whole) * 100 + Number(rest.padEnd(2, "0"));
  },
} as const;
