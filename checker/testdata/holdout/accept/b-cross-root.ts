import { roundCents } from "../../../core/src/money";
import { split } from "../../../core/src";
export const halves = (cents: number) => split(roundCents(cents), 2);
