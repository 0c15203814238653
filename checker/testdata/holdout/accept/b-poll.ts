import { useEffect } from "react";
export function usePoll(run: () => Promise<void>, every: number) {
  useEffect(() => {
    let stopped = false;
    let id: number | undefined;
    const again = async () => {
      await run().catch(() => undefined);
      if (!stopped) id = window.setTimeout(again, every);
    };
    void again();
    return () => {
      stopped = true;
      if (id !== undefined) window.clearTimeout(id);
    };
  }, [run, every]);
}
