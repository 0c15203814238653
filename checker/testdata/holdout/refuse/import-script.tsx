import Script from "next/script";
export const T = () => <Script src="/x.js" />;
