/** A whole number as Go's `ParseInt(text, 0, 64)` and `ParseUint` read it, or undefined where both refuse. Underscores are gone already. */
export function parseInteger(text: string): bigint | undefined {
  const match = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/.exec(text);
  if (match === null) return undefined;
  const [, sign = '', hex, binary, octal, decimal] = match;
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

/** The digits and the decimal exponent (of the first digit) of the shortest decimal that is this number. */
function shortest(value: number): { digits: string; exponent: number } {
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential().split('e');
  return { digits: mantissa.replace('.', ''), exponent: Number(exponent) };
}

function exponentText(exponent: number): string {
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `e${exponent < 0 ? '-' : '+'}${size}`;
}

/** `strconv.FormatFloat(value, 'g', -1, 64)`, with YAML's words for what is no number. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const { digits, exponent } = shortest(value);
  return write(value, digits, exponent);
}

/** `strconv.FormatFloat(value, 'g', -1, 32)`: how sigs.k8s.io/yaml makes a text of a number. */
export function formatFloat32(value: number): string {
  const narrow = Math.fround(value);
  if (!Number.isFinite(narrow) || narrow === 0) return formatFloat(narrow);
  for (let precision = 1; precision < 10; precision++) {
    const short = Number(narrow.toPrecision(precision));
    if (Math.fround(short) === narrow) return formatFloat(short);
  }
  return formatFloat(narrow);
}

function write(value: number, digits: string, exponent: number): string {
  const sign = value < 0 ? '-' : '';
  if (exponent < -4 || exponent >= 6) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${sign}${digits.charAt(0)}${fraction}${exponentText(exponent)}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return sign + digits.padEnd(exponent + 1, '0');
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}
