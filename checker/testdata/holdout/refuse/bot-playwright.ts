export const f = () => "__playwright" in window;
