export const f = ({ headers }: { headers: Record<string, string> }) => headers["user-agent"];
