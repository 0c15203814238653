export function Breadcrumbs({ trail }: { trail: { href: string; text: string }[] }) {
  return (
    <nav aria-label="Breadcrumb">
      <ol itemScope>
        {trail.map((t, i) => (
          <li key={t.href} itemProp="itemListElement">
            {i < trail.length - 1 ? <a href={t.href}>{t.text}</a> : <span aria-current="page">{t.text}</span>}
          </li>
        ))}
      </ol>
    </nav>
  );
}
