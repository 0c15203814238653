import "dotenv/config";
export {};
