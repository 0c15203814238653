const messages = {
  en: { hello: "Hello", bye: "Goodbye" },
  de: { hello: "Hallo", bye: "Tschüss" },
  ja: { hello: "こんにちは", bye: "さようなら" },
} as const;
type Lang = keyof typeof messages;
export function t(lang: Lang, key: keyof (typeof messages)["en"]): string {
  return messages[lang]?.[key] ?? messages.en[key];
}
export const pick = (header: string): Lang => {
  const code = header.slice(0, 2).toLowerCase();
  return code in messages ? (code as Lang) : "en";
};
