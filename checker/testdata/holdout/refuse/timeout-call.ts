setTimeout.call(null, "alert(1)" as any);
export {};
