export const T = () => <iframe title="x" srcDoc="<p>x</p>" />;
