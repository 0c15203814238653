export const T = () => <a href={"java\tscript:alert(1)"}>x</a>;
