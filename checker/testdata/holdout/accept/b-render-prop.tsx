import { Children, cloneElement, isValidElement, type ReactElement } from "react";
export function Group({ children, name }: { children: ReactElement<{ name?: string }>[]; name: string }) {
  return <fieldset>{Children.map(children, (child) => (isValidElement(child) ? cloneElement(child, { name }) : child))}</fieldset>;
}
