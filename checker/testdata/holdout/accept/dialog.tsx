"use client";
import { useEffect, useRef } from "react";
export function Confirm({ open, text, onAnswer }: { open: boolean; text: string; onAnswer: (yes: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} onCancel={() => onAnswer(false)} aria-labelledby="confirm-text">
      <p id="confirm-text">{text}</p>
      <form method="dialog">
        <button value="no" onClick={() => onAnswer(false)}>No</button>
        <button value="yes" onClick={() => onAnswer(true)} autoFocus>Yes</button>
      </form>
    </dialog>
  );
}
