export const recipes = [
  { type: "cookie", name: "Chocolate chip", minutes: 25 },
  { type: "cake", name: "Marble", minutes: 70 },
];
