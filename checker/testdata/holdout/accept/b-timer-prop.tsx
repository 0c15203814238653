"use client";
import { useEffect } from "react";
export function Snackbar({ text, onClose, delay = 4000 }: { text: string; onClose: () => void; delay?: number }) {
  useEffect(() => {
    const id = window.setTimeout(onClose, delay);
    return () => window.clearTimeout(id);
  }, [onClose, delay]);
  return <output aria-live="polite">{text}</output>;
}
