import { readFile } from "fs/promises";
export const t = readFile;
