import type { Value } from '../../go/value.ts';
import { printed } from '../../template/execute/print.ts';
import { valueOf, type Operand } from './operand.ts';
import type { Place } from './place.ts';

/** An operand as a template prints it: as Go does, but null is nothing. */
export function textOf(operand: Operand, place: Place): string {
  const value: Value = valueOf(operand, place);
  return value === null ? '' : printed(value);
}
