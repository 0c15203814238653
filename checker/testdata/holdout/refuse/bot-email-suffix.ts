export const f = (user: { email: string }) => user.email.endsWith("@test.example.com");
