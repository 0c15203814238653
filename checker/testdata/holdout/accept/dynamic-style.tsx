import type { CSSProperties } from "react";
export function Bar({ value, max }: { value: number; max: number }) {
  const style: CSSProperties & Record<`--${string}`, string> = {
    "--share": `${Math.round((value / max) * 100)}%`,
    width: "var(--share)",
    transform: `translateX(${value - max}px) scale(${value > max ? 1.1 : 1})`,
    transition: "width 200ms cubic-bezier(0.4, 0, 0.2, 1)",
    backgroundImage: "url(/bars.png)",
  };
  return <div role="progressbar" aria-valuenow={value} aria-valuemin={0} aria-valuemax={max} style={style} />;
}
