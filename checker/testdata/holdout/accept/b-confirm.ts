export function askDelete(name: string, remove: () => Promise<void>): Promise<void> | undefined {
  if (!window.confirm(`Delete "${name}"? This can't be undone.`)) return;
  return remove().then(() => window.history.back());
}
