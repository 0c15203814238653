export const name = "DATABASE" + "_URL";
