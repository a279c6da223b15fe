import { isMap } from '../../go/types.ts';
import type { Value } from '../../go/value.ts';
import { Int, NamedMap, Slice } from '../../go/value.ts';
import type { JsonType } from './schema.ts';

/** Returns JSON Schema's name of a value's type; whole numbers are `number`. */
export function typeOf(value: Value): JsonType | undefined {
  if (value === null || (value instanceof Slice && value.isNil) || (value instanceof NamedMap && value.isNil))
    return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number' || value instanceof Int) return 'number';
  if (Array.isArray(value)) return 'array';
  return isMap(value) ? 'object' : undefined;
}

/** Returns a value as a number. */
export function numberOf(value: Value): number {
  return value instanceof Int ? Number(value.value) : typeof value === 'number' ? value : NaN;
}

/** Reports whether two values are the same JSON: 1 equals 1.0, but not "1". */
export function equalJson(a: Value, b: Value): boolean {
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  if (type === 'number') return numberOf(a) === numberOf(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    const other = b as readonly Value[];
    return a.length === b.length && (a as readonly Value[]).every((item, i) => equalJson(item, other[i] ?? null));
  }
  if (isMap(a) && isMap(b)) {
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && equalJson(value, b.get(key) ?? null));
  }
  return a === b || type === 'null';
}

/**
 * Reports whether a number is a multiple of another, by their shortest decimals: 0.3 is a multiple
 * of 0.1.
 */
export function isMultiple(value: number, step: number): boolean {
  if (step === 0) return false;
  const [a, aScale] = decimal(value);
  const [b, bScale] = decimal(step);
  const scale = Math.max(aScale, bScale);
  return (a * 10n ** BigInt(scale - aScale)) % (b * 10n ** BigInt(scale - bScale)) === 0n;
}

/** Returns the digits of a number and the number of decimals. */
function decimal(value: number): [digits: bigint, scale: number] {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const fraction = mantissa.split('.')[1] ?? '';
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(mantissa.replace('.', ''));
  return scale >= 0 ? [digits, scale] : [digits * 10n ** BigInt(-scale), 0];
}

/** Returns the first two equal items; the outer loop is over `later`. */
export function findDuplicates(items: readonly Value[]): [earlier: number, later: number] | undefined {
  const seen = new Map<string, number[]>();
  for (const [later, item] of items.entries()) {
    const hash = hashOf(item);
    const candidates = seen.get(hash);
    const earlier = candidates?.find((i) => equalJson(items[i] ?? null, item));
    if (earlier !== undefined) return [earlier, later];
    if (candidates === undefined) seen.set(hash, [later]);
    else candidates.push(later);
  }
  return undefined;
}

/** Returns a text that is equal for equal items, and hardly ever for others. */
function hashOf(value: Value): string {
  if (isMap(value)) {
    const members = Array.from(value, ([key, member]) => `${key} ${hashOf(member)}`);
    return `{${members.sort().join('\n')}}`;
  }
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(hashOf).join('\n')}]`;
  const type = typeOf(value) ?? '';
  if (type === 'number') return `n${numberOf(value)}`;
  return typeof value === 'string' || typeof value === 'boolean' ? `${type}${value}` : type;
}
