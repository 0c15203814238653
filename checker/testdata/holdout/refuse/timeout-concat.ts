setTimeout("al" + "ert(1)", 10);
export {};
