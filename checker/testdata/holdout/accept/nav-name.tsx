export function Nav({ navigator, document: doc }: { navigator: string; document: string }) {
  return <p>{navigator}: {doc}</p>;
}
