import "server-only";
export {};
