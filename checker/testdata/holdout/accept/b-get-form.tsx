export function Search({ q }: { q: string }) {
  return (
    <form action="/search" method="get" role="search">
      <input type="search" name="q" defaultValue={q} placeholder="name@example.com or a name" enterKeyHint="search" spellCheck={false} />
      <button formAction="/search/exact">Exact</button>
    </form>
  );
}
