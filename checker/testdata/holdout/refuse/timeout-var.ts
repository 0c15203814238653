const code = "alert(1)";
setInterval(code as any, 10);
export {};
