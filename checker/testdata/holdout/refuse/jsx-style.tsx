export const T = () => <style>{"@import '/x.css';"}</style>;
