{
  function self() {}
}
export const t = (self as any).name;
