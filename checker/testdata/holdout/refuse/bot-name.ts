export const flag = (name: string) => name === "testsprite-bot";
