export const f = () => Boolean((window as any).Cypress);
