export async function f() {
  ("use server");
  return 1;
}
