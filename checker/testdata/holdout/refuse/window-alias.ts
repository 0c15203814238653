const w = window as any;
export const t = w["pro" + "cess"];
