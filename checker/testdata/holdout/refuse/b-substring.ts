const s = "xxconstructorxx";
export const u = ((() => {}) as any)[s.substring(2, 13)];
