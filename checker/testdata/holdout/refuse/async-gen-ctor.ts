export const G = (async function* () {}).constructor;
