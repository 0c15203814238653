window.location = "https://collect.example.net" as any;
export {};
