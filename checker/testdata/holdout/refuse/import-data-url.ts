import x from "data:text/javascript,export default 1";
export const t = x;
