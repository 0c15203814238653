export function goToLogin() {
  window.location.href = `/login?next=${encodeURIComponent(window.location.pathname + window.location.search)}`;
}
export function reload() {
  location.reload();
}
export const hashOf = () => location.hash.slice(1);
export const shareLink = (token: string) => `${location.origin}/g/${token}`;
