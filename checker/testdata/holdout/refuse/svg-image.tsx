export const T = () => <svg><image href="https://collect.example.net/p.png" /></svg>;
