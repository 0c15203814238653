export const f = () => navigator.plugins.length === 0;
