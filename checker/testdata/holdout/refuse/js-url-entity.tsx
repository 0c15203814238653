export const T = () => <a href="&#106;avascript:alert(1)">x</a>;
