// Loaded into every node process of the check. Behind the fence /proc/self/stat cannot be opened, from which node reads how
// much memory it holds; it then throws, and test runners that ask for it in their workers (vitest) wait for ever.
"use strict";
const { getHeapStatistics } = require("node:v8");

const real = process.memoryUsage;
const heap = () => {
  const s = getHeapStatistics();
  return {
    rss: s.total_physical_size, heapTotal: s.total_heap_size, heapUsed: s.used_heap_size,
    external: s.external_memory, arrayBuffers: 0,
  };
};
const orHeap = (read, other) => {
  try {
    return read();
  } catch {
    return other();
  }
};

process.memoryUsage = Object.assign(() => orHeap(() => real(), heap), {
  rss: () => orHeap(() => real.rss(), () => heap().rss),
});
