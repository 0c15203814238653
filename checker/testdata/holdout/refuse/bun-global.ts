declare const Bun: any;
export const t = Bun.file("/etc/passwd");
