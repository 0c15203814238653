const o = { code: "alert(1)" };
setTimeout(o.code as any, 0);
export {};
