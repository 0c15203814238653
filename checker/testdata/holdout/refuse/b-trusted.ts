export const p = (window as any).trustedTypes.createPolicy("x", {});
