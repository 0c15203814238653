export function f(this: any) {
  return this.x;
}
