export const T = () => <base href="/other/" />;
