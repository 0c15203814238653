export abstract class Shape {
  abstract area(): number;
  protected label?: string;
  describe(): string {
    return `${this.label ?? "shape"} of ${this.area().toFixed(1)}`;
  }
}
export class Square extends Shape {
  side = 1;
  override label = "square";
  override area(): number {
    return this.side ** 2;
  }
}
