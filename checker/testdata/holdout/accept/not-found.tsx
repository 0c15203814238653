import { notFound, redirect } from "next/navigation";
export async function GroupName({ load, id }: { load: (id: string) => Promise<{ name: string; moved?: string } | null>; id: string }) {
  const group = await load(id);
  if (!group) notFound();
  if (group.moved) redirect(`/g/${group.moved}`);
  return <h1>{group.name}</h1>;
}
