navigator.serviceWorker.register("/sw.js");
export {};
