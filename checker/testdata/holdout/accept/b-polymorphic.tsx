import type { ElementType, ReactNode } from "react";
export function Heading({ level, children }: { level: 1 | 2 | 3; children: ReactNode }) {
  const Tag = `h${level}` as ElementType;
  return <Tag className={`h${level}`}>{children}</Tag>;
}
