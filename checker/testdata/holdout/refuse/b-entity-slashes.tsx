export const T = () => <img alt="" src="https:&#47;&#47;collect.example.net/a.png" />;
