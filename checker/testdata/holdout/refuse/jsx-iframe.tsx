export const T = () => <iframe title="x" src="/other" />;
