const Frame: any = "IFRAME";
export const T = () => <Frame src="/x" />;
