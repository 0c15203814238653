// See https://developer.mozilla.org/en-US/docs/Web/API/Intl for what is supported.
/**
 * Rounds half to even, see also http://example.com/rounding.
 * @param value in cents
 */
export const roundEven = (value: number) => {
  const floor = Math.floor(value);
  const diff = value - floor;
  if (diff !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
};
