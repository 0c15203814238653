export const T = () => <script src="/x.js" async />;
