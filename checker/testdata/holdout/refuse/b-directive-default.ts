export default async function f() {
  "use server";
}
