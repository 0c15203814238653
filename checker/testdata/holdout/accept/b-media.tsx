export function Clip({ base }: { base: string }) {
  return (
    <figure>
      <video controls preload="metadata" poster={`/posters/${base}.jpg`} playsInline>
        <source src={`/clips/${base}.webm`} type="video/webm" />
        <track kind="captions" src={`/clips/${base}.vtt`} srcLang="en" default />
      </video>
      <figcaption>How it works &mdash; in 30 seconds</figcaption>
      <noscript>Turn on scripts to see the clip.</noscript>
    </figure>
  );
}
