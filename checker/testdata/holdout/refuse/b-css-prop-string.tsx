export const T = () => <div style={{ "--u": "url(https://collect.example.net/a.png)" } as React.CSSProperties} />;
