export const t = JSON.parse('{"__proto__": {"x": 1}}');
