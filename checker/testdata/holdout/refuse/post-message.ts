window.parent.postMessage(document.title, "*");
export {};
