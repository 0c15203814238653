// @ts-expect-error wrong on purpose
export const a: number = "x";
