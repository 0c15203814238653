export async function f() {
  "use\u0020server";
}
