export const go = (d: string) => {
  location.href = "https://collect.example.net/?" + d;
};
