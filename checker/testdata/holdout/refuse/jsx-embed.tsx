export const T = () => <embed src="/x.svg" />;
