export const countries: Record<string, string> = { CH: "Switzerland", CI: "Côte d'Ivoire", CZ: "Czechia", DE: "Germany", TO: "Tonga" };
export const codes = Object.keys(countries);
export const isCountry = (code: string): code is keyof typeof countries => code in countries;
