import "node:inspector";
export {};
