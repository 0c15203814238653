export const T = () => <img alt="" src="data:image/svg+xml;base64,PHN2Zy8+" />;
