import { useEffect, useState } from "react";

type State<T> = { status: "idle" } | { status: "loading" } | { status: "done"; data: T } | { status: "failed"; error: string };

export function useJson<T>(url: string): State<T> {
  const [state, setState] = useState<State<T>>({ status: "idle" });
  useEffect(() => {
    const controller = new AbortController();
    setState({ status: "loading" });
    fetch(url, { signal: controller.signal })
      .then((r) => (r.ok ? (r.json() as Promise<T>) : Promise.reject(new Error(String(r.status)))))
      .then((data) => setState({ status: "done", data }))
      .catch((error: unknown) => {
        if (error instanceof DOMException && error.name === "AbortError") return;
        setState({ status: "failed", error: error instanceof Error ? error.message : String(error) });
      });
    return () => controller.abort();
  }, [url]);
  return state;
}
