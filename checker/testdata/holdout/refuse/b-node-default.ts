export { default } from "os";
