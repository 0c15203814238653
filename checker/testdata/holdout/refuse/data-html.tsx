export const T = () => <a href="data:text/html,<b>x</b>">x</a>;
