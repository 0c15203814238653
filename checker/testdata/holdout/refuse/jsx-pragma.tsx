/** @jsx h */
export const T = () => <p>x</p>;
