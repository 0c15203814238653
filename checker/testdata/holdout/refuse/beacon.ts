navigator.sendBeacon("/x", "y");
export {};
