export const load = (ctx: AudioContext) => ctx.audioWorklet.addModule("/x.js");
