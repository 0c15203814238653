export const T = () => <video poster="https://collect.example.net/p.png" />;
