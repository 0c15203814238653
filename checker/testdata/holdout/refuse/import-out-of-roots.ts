import config from "../../next.config";
export const t = config;
