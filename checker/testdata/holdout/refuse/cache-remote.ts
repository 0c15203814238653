export async function f() {
  "use cache: remote";
  return 1;
}
