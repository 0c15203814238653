(Error as any).prepareStackTrace = (_e: Error, s: unknown) => s;
export {};
