import { tables } from "../db/client";
export const T = () => <p>{tables.length}</p>;
