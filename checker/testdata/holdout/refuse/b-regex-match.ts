const k = "a-constructor-b".match(/[a-z]{5,}/)![0];
export const u = ((() => {}) as any)[k];
