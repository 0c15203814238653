const { env } = process;
export const t = env.SECRET;
