// Prüft die Länge – auch für „kurze“ Namen
export const texts = {
  "größe": "Größe",
  tooLong: "Le nom est trop long : 80 caractères au maximum…",
  emoji: "🎉 Fertig!",
  currency: "1 200 ¥ · 12 € · 9 £",
};
