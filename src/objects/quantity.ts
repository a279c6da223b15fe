/** Factors of the suffixes of quantities. */
const factors: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/** Longer than any that an API server writes. */
const maxLength = 64;

/**
 * Returns a quantity of Kubernetes, such as `250m` or `1.5Gi`, as a number. Undefined for what is
 * not a text of that form, or is not finite.
 */
export function quantityOf(text: unknown): number | undefined {
  if (typeof text !== 'string' || text.length > maxLength) return undefined;
  const [, digits = '', exponent = '', suffix = ''] =
    /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([eE][+-]?\d+)|(n|u|m|k|[KMGTPE]i|[MGTPE]))?$/.exec(text) ?? [];
  if (digits === '') return undefined;
  const value = Number(`${digits}${exponent}`) * (factors[suffix] ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}
