import x from "/etc/passwd";
export const t = x;
