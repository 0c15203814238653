export const T = () => <div style={{ backgroundImage: `url("https://collect.example.net/a.png")` }} />;
