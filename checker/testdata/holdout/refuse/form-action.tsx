export const T = () => <button formAction="https://collect.example.net">Send</button>;
