export const f = (flags: any) => (flags.CI ? 200 : 500);
