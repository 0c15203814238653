document.write("<p>x</p>");
export {};
