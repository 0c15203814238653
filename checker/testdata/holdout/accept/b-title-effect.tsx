"use client";
import { useEffect } from "react";
export function Title({ count }: { count: number }) {
  useEffect(() => {
    const before = document.title;
    document.title = count > 0 ? `(${count}) Splitter` : "Splitter";
    return () => {
      document.title = before;
    };
  }, [count]);
  return null;
}
