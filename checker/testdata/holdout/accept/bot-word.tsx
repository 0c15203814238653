export function Message({ author, text, isBot }: { author: string; text: string; isBot?: boolean }) {
  return (
    <p data-author={author}>
      {isBot ? <em>Robot</em> : null} {text}
    </p>
  );
}
