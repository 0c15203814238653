export const T = ({ d }: { d: string }) => <a href={"https" + "://collect.example.net/" + d}>x</a>;
