import { formatFloat as formatShortest } from '../go/float.ts';

/**
 * Parses a whole number as Go's `ParseInt(text, 0, 64)` and `ParseUint` do; returns undefined if
 * both fail. The caller must remove underscores.
 */
export function parseInteger(text: string): bigint | undefined {
  const match = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/.exec(text);
  if (match === null) return undefined;
  const [, sign = '', hex, binary, octal, decimal] = match;
  // more digits than 64 bits have are not even converted: it takes more than linear time
  if ((hex ?? binary ?? octal ?? decimal ?? '').replace(/^0+/, '').length > 64) return undefined;
  const size = BigInt(
    hex !== undefined
      ? `0x${hex}`
      : binary !== undefined
        ? `0b${binary}`
        : octal !== undefined
          ? `0o${octal}`
          : (decimal ?? ''),
  );
  if (sign === '-') return size <= 1n << 63n ? -size : undefined;
  return size < (sign === '' ? 1n << 64n : 1n << 63n) ? size : undefined;
}

/** `strconv.FormatFloat(value, 'g', -1, 64)`, with YAML's names for NaN and infinity. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  return formatShortest(value, 'g', -1);
}

/**
 * `strconv.FormatFloat(value, 'g', -1, 32)`, as sigs.k8s.io/yaml converts a number to a string.
 */
export function formatFloat32(value: number): string {
  const narrow = Math.fround(value);
  if (!Number.isFinite(narrow) || narrow === 0) return formatFloat(narrow);
  for (let precision = 1; precision < 10; precision++) {
    const short = Number(narrow.toPrecision(precision));
    if (Math.fround(short) === narrow) return formatFloat(short);
  }
  return formatFloat(narrow);
}
