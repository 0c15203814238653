/// <reference types="node" />
export const a = 1;
