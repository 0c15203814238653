export const T = () => <meta httpEquiv="refresh" content="0;url=/x" />;
