"use client";
import { useEffect, useRef, useState } from "react";

export function Countdown({ until }: { until: number }) {
  const [left, setLeft] = useState(() => Math.max(0, until - Date.now()));
  const timer = useRef<ReturnType<typeof setInterval> | null>(null);
  useEffect(() => {
    const tick = () => setLeft(Math.max(0, until - Date.now()));
    timer.current = setInterval(tick, 1000);
    return () => {
      if (timer.current !== null) clearInterval(timer.current);
    };
  }, [until]);
  const s = Math.floor(left / 1000);
  return <time dateTime={`PT${s}S`}>{`${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`}</time>;
}
