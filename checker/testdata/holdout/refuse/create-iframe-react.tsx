import { createElement } from "react";
export const T = () => createElement("iframe", { src: "/x" });
