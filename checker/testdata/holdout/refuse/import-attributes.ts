import data from "./data.json" with { type: "json" };
export const t = data;
