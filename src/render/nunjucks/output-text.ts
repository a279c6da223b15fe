import type { Value } from '../../go/value.ts';
import { printed } from '../../template/execute/print.ts';
import { valueOf, type Operand } from './operand.ts';
import type { Position } from './position.ts';

/** An operand as a template prints it: as Go does, but null is nothing. */
export function textOf(operand: Operand, position: Position): string {
  const value: Value = valueOf(operand, position);
  return value === null ? '' : printed(value);
}
