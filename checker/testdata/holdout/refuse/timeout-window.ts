window.setTimeout("alert(1)");
export {};
