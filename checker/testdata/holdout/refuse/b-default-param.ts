export function f(w: any = window) {
  return w.name;
}
