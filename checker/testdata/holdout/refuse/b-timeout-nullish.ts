setTimeout(("x" as any) ?? null, 1);
export {};
