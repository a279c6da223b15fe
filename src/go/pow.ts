/**
 * Go's `math.Pow(10, exponent)` for a whole exponent, in the same steps, because JavaScript's own
 * power can differ in the last bit.
 */
export function pow10(exponent: number): number {
  let [mantissa, mantissaExponent] = [1, 0];
  let [factor, factorExponent] = [0.625, 4];
  for (let rest = BigInt(Math.abs(exponent)); rest !== 0n; rest >>= 1n) {
    if (factorExponent > 4096) {
      mantissaExponent += factorExponent;
      break;
    }
    if ((rest & 1n) === 1n) {
      mantissa *= factor;
      mantissaExponent += factorExponent;
    }
    factor *= factor;
    factorExponent *= 2;
    if (factor < 0.5) {
      factor += factor;
      factorExponent--;
    }
  }
  return exponent < 0 ? scale(1 / mantissa, -mantissaExponent) : scale(mantissa, mantissaExponent);
}

function scale(mantissa: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return mantissa * 2 ** half * 2 ** (exponent - half);
}
