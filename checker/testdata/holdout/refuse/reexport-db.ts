export * from "@/db/schema";
