export const T = () => <a href="https://collect.example.net">Details</a>;
