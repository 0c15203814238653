export function f(a = self, b = 1) {
  return [a, b];
}
