const Tag = "script" as const;
export const T = () => <Tag src="/x.js" />;
