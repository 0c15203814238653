export const u = ((() => {}) as any)[decodeURIComponent("%63onstructor")];
