export class A {
  static run = eval;
}
