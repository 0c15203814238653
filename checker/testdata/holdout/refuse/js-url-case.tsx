export const T = () => <a href="JaVaScRiPt:alert(1)">x</a>;
