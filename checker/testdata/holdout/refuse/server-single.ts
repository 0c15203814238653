export async function f() {
  'use server';
}
