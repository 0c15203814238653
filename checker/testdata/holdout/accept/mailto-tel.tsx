export function Contact({ email, phone }: { email: string; phone: string }) {
  return (
    <address>
      <a href={`mailto:${email}?subject=${encodeURIComponent("Question about a group")}`}>Write to us</a>
      <a href={`tel:${phone.replace(/\s+/g, "")}`}>{phone}</a>
      <a href="mailto:help">help</a>
      <a href="#top">Back to top</a>
      <a href="/legal/terms?lang=de#s2">Terms</a>
      <a href="../groups">All groups</a>
    </address>
  );
}
