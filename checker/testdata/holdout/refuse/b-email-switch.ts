export function f(email: string) {
  switch (email) {
    case "robot@testing.example":
      return true;
  }
  return false;
}
