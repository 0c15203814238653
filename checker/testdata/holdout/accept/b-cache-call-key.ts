const seen: Record<string, boolean> = {};
export const once = (args: unknown[]) => (seen[JSON.stringify(args)] ? false : (seen[JSON.stringify(args)] = true));
