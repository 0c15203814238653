export enum Status {
  Open = "open",
  Settled = "settled",
}
export const enum Level {
  Low = 1,
  High = Low + 1,
}
export enum Flags {
  None,
  Read = 1 << 0,
  Write = 1 << 1,
  All = Read | Write,
}
export const label = (s: Status) => ({ [Status.Open]: "Open", [Status.Settled]: "Settled" })[s];
