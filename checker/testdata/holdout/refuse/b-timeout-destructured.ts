const { setTimeout: later } = window as any;
later("alert(1)");
export {};
