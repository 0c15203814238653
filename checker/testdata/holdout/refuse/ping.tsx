export const T = () => <a href="/x" {...{ ping: "/track" }}>x</a>;
