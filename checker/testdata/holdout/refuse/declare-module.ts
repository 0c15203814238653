declare module "react" {
  interface A {}
}
export {};
