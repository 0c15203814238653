export const serverEnv = { region: "eu" };
