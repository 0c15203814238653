export function SafeLink({ href, children }: { href: string; children: React.ReactNode }) {
  const ok = href.startsWith("/") || href.startsWith("#") || href.startsWith("mailto:");
  const external = href.startsWith("https://") || href.startsWith("http://");
  if (!ok && !external) return <span>{children}</span>;
  return (
    <a href={href} rel={external ? "noopener noreferrer" : undefined} target={external ? "_blank" : undefined}>
      {children}
    </a>
  );
}
