const o: any = Object;
export const t = o["getOwn" + "PropertyDescriptor"]([], "length");
