export const w = new SharedWorker("/w.js");
