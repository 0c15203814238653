export const fr = {
  welcome: "Bienvenue ! C'est l'heure de partager.",
  help: "Besoin d'aide ? Écrivez-nous : aide@example.fr",
  format: "JJ/MM/AAAA",
  fraction: "1 / 2",
  ratio: "16:9",
  time: "12:30",
};
