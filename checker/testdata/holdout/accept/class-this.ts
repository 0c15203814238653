export class Ledger {
  #entries: Array<{ who: string; cents: number }> = [];
  static readonly empty = new Ledger();

  add(who: string, cents: number): this {
    this.#entries.push({ who, cents });
    return this;
  }

  get total(): number {
    return this.#entries.reduce((sum, e) => sum + e.cents, 0);
  }

  *[Symbol.iterator]() {
    yield* this.#entries;
  }

  balanceOf(who: string): number {
    return this.#entries.filter((e) => e.who === who).reduce((s, { cents }) => s + cents, 0);
  }
}
