export function F() {
  return new.target;
}
