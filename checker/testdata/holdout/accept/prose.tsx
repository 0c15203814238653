export function Faq() {
  return (
    <dl>
      <dt>What happens if I lose the link?</dt>
      <dd>Ask someone who's still in the group; they'll find it under "Share" in the menu (the button with three dots).</dd>
      <dt>Can I use it without an account?</dt>
      <dd>Yes. If you're new, choose a name, add costs for everyone & settle up when the trip is over, or while you are on the road — it's up to you!</dd>
      <dt>Is there a limit?</dt>
      <dd>50 people, 500 costs; see the terms for details. For larger groups do contact us, with the name of the group.</dd>
    </dl>
  );
}
