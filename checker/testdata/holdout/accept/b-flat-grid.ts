export class Grid<T> {
  readonly cells: T[] = [];
  width = 0;
  at(row: number, col: number): T | undefined {
    return this.cells[row * this.width + col];
  }
  set(row: number, col: number, value: T): void {
    this.cells[row * this.width + col] = value;
  }
}
