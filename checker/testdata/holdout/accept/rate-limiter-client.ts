export function throttle<A extends unknown[]>(fn: (...args: A) => void, wait: number) {
  let last = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (...args: A) => {
    const now = Date.now();
    const rest = wait - (now - last);
    clearTimeout(timer);
    if (rest <= 0) {
      last = now;
      fn(...args);
      return;
    }
    timer = setTimeout(() => {
      last = Date.now();
      fn(...args);
    }, rest);
  };
}
