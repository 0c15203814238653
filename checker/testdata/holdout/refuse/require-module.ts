export const fs = module.require("fs");
