export function f() {
  return (arguments as any).callee;
}
