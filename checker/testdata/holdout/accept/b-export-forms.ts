import { formatAmount as amount, formatDay } from "./format";
export { amount, formatDay };
export { total as sum } from "./totals";
export * as totals from "./totals";
export type { Line } from "./totals";
