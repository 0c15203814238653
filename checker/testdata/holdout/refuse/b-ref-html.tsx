export const T = ({ h }: { h: string }) => <p ref={(el) => { if (el) el.innerHTML = h; }} />;
