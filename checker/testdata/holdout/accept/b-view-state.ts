type View = { open: boolean; top: number; location: string; history: string[] };
export const reset = (view: View): View => ({ ...view, open: false, top: 0, history: view.history.slice(-10) });
