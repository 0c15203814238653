export { formatCents } from "./money";
export { split } from "./split";
