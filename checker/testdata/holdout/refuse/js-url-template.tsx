export const T = ({ c }: { c: string }) => <a href={`javascript:${c}`}>x</a>;
