const labels: Record<string, string> = { "step-1": "People", "step-2": "Costs" };
export const stepLabel = (n: number) => labels["step-" + n] ?? labels[`step-${n}`] ?? "";
export const cell = (grid: Record<string, number>, row: string, col: number) => grid[`${row}${col}`] ?? 0;
export const field = (errors: Record<string, string | undefined>, name: string) => errors[name + "Error"];
