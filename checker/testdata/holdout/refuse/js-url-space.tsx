export const T = () => <a href={" \u0001javascript:alert(1)"}>x</a>;
