import {} from "next/headers";
export {};
