[setTimeout].forEach((f: any) => f("alert(1)"));
export {};
