export const go = (d: string) => {
  (location as any) = d;
};
