/* @jsxRuntime classic */
export const T = () => <p>x</p>;
