export const t = (document as any)["coo" + "kie"];
