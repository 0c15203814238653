setImmediate("alert(1)" as any);
export {};
