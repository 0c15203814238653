export const m = (bytes: BufferSource) => WebAssembly.instantiate(bytes);
