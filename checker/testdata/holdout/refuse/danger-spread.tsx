export const T = ({ h }: { h: string }) => <div {...{ dangerouslySetInnerHTML: { __html: h } }} />;
