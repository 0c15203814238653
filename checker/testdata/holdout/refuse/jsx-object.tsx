export const T = () => <object data="/x.svg" />;
