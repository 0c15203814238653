export namespace Cents {
  export const zero = 0;
  export function of(value: number): number {
    return Math.round(value * 100);
  }
}
