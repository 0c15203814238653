export const t = import(/* a */ /* b */
  "./totals");
