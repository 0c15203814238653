type Node = { name: string; parent?: Node; children: Node[] };
export function pathOf(node: Node): string {
  const parts: string[] = [];
  for (let at: Node | undefined = node; at; at = at.parent) parts.unshift(at.name);
  return parts.join("/");
}
