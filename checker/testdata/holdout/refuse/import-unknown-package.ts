import axios from "axios";
export const t = axios;
