Object.defineProperty(Array, "x", { value: 1 });
