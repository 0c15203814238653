export const a = 1;
//# sourceMappingURL=https://collect.example.net/a.map
