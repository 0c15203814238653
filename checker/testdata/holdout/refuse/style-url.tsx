export const T = () => <div style={{ backgroundImage: "url(//collect.example.net/a.png)" }} />;
