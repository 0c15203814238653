"use client";

import { useState } from "react";

export function SaveButton({ groupId }: { groupId: string }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function onSave() {
    setBusy(true);
    setError(null);
    try {
      const response = await fetch(`/api/groups/${encodeURIComponent(groupId)}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ saved: true }),
      });
      if (!response.ok) {
        throw new Error(`Saving failed with ${response.status}`);
      }
    } catch (e) {
      setError(e instanceof Error ? e.message : "Unknown error");
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <button type="button" disabled={busy} aria-busy={busy} onClick={() => void onSave()}>
        {busy ? "Saving…" : "Save"}
      </button>
      {error && <p role="alert">{error}</p>}
    </>
  );
}
