export function size(n: number): string {
  switch (true) {
    case n < 1024:
      return `${n} B`;
    case n < 1024 ** 2:
      return `${(n / 1024).toFixed(1)} KiB`;
    default:
      return `${(n / 1024 ** 2).toFixed(1)} MiB`;
  }
}
