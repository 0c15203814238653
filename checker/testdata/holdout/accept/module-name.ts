export function describe(module: { name: string }, exports: string[], event: { type: string }) {
  const location = exports.length > 0 ? exports[0] : module.name;
  const history = [location, event.type];
  return history.join(" → ");
}
