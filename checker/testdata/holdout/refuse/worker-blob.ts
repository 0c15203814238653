export const w = new Worker(URL.createObjectURL(new Blob(["1"])));
