export function place(rect: { top: number; left: number }, parent: { top: number }, self: string, open: boolean) {
  const top = rect.top - parent.top;
  const frames = [top, rect.left];
  const status = open ? self : "closed";
  return { top, frames, status };
}
export function walk(node: { parent?: { name: string }; name: string }): string {
  const { parent, name } = node;
  return parent ? `${parent.name}/${name}` : name;
}
