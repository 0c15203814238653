export const t = fetch("x/ten.elpmaxe.tcelloc//:sptth".split("").reverse().join(""));
