export const tools = { eval };
