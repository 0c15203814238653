import fs = require("fs");
export const t = fs.readFileSync;
