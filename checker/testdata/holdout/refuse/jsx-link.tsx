export const T = () => <link rel="stylesheet" href="/x.css" />;
