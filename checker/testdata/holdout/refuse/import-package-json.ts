import pkg from "../../../../package.json";
export const t = pkg.name;
