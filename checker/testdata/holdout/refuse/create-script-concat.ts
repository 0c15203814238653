document.head.append(document.createElement("scr" + "ipt"));
export {};
