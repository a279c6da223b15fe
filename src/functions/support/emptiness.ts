import { Complex } from '../../go/complex.ts';
import { kindOf, truth } from '../../go/types.ts';
import type { Value } from '../../go/value.ts';

/**
 * Reports whether Sprig treats a value as unset: nil, false, 0, or without elements. Structs and
 * pointers are never empty.
 */
export function isEmpty(value: Value): boolean {
  if (value === null || typeof value !== 'object') return !truth(value);
  if (value instanceof Complex) return value.real === 0 && value.imaginary === 0;
  const kind = kindOf(value);
  return kind !== 'struct' && kind !== 'ptr' && !truth(value);
}
