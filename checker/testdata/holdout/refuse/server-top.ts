"use server";
export async function remove(id: string) {
  return id;
}
