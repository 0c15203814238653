export const f = () => Object.assign(document.createElement("SCRIPT"), { text: "1" });
