setTimeout(`alert(1)`, 10);
export {};
