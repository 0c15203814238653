export const u = ((() => {}) as any)["\x63onstructor"];
