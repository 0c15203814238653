export async function f() {
  "use server" as const;
}
