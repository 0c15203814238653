document.cookie = "a=1";
export {};
