export const T = () => <a href="vbscript:msgbox(1)">x</a>;
