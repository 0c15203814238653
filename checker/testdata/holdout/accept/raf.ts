import { useEffect, useRef } from "react";
export function useFrame(run: (dt: number) => void) {
  const saved = useRef(run);
  saved.current = run;
  useEffect(() => {
    let id = 0;
    let before = performance.now();
    const loop = (now: number) => {
      saved.current(now - before);
      before = now;
      id = requestAnimationFrame(loop);
    };
    id = requestAnimationFrame(loop);
    return () => cancelAnimationFrame(id);
  }, []);
}
