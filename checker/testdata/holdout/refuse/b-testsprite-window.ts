export const f = () => Boolean((window as any).__TESTSPRITE__);
