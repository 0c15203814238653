const a = document.createElement("a");
a.href = "//collect.example.net/?" + document.title;
a.click();
export {};
