const brand: unique symbol = Symbol("cents");
export type Cents = number & { readonly [brand]: true };
export const toCents = (n: number): Cents => Math.round(n) as Cents;
export const isIterable = (v: unknown): v is Iterable<unknown> => typeof v === "object" && v !== null && Symbol.iterator in v;
