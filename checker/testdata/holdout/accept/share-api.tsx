"use client";
export function Share({ path, title }: { path: string; title: string }) {
  async function onShare() {
    const url = `${window.location.origin}${path}`;
    if ("share" in navigator) {
      await navigator.share({ title, url });
    } else {
      window.alert("Sharing is not supported here");
    }
  }
  return <button type="button" onClick={onShare}>Share</button>;
}
