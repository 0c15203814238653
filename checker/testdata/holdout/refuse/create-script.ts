const s = document.createElement("script");
s.text = "alert(1)";
document.head.append(s);
export {};
