export const T = ({ d }: { d: string }) => <img alt="" src={`https://collect.example.net/p.gif?d=${d}`} />;
