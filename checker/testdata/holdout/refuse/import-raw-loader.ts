import text from "!!raw-loader!./format";
export const t = text;
