export const t = (((window)))["na" + "me2"];
