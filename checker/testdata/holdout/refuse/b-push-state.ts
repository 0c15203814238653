history.replaceState(null, "", "https://collect.example.net");
export {};
