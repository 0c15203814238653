export const T = () => <a href="&#104;ttps://collect.example.net">x</a>;
