const r = require;
export const fs = r("fs");
