export const T = () => <a href={["javascript", "alert(1)"].join(":")}>x</a>;
