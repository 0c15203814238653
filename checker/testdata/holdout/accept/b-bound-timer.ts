export function withTimeout(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(controller.abort.bind(controller), ms);
  return controller.signal;
}
