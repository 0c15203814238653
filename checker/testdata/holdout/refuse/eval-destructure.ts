const { eval: run } = window as any;
export const t = run("1");
