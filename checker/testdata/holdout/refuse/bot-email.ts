export const f = (user: { email: string }) => user.email === "qa@example.com";
