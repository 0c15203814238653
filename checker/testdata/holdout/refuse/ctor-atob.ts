export const u = ((() => {}) as any)[atob("Y29uc3RydWN0b3I=")];
