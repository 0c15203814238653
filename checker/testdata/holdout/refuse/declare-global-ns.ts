declare namespace Evil {
  const x: number;
}
export {};
