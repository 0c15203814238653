// Processing happens later; the environment of the trip is shown above. Functional style, evaluated lazily.
// The required fields come first, modules are sorted, and the import (from CSV) is done elsewhere... imports too.
export const order = ["title", "amount"] as const;
