(navigator as any)["send" + "Beacon"]("/x", "y");
export {};
