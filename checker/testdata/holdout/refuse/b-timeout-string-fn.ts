setTimeout(String("alert(1)") as any, 1);
export {};
