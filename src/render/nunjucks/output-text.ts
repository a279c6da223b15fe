import type { Value } from '../../go/value.ts';
import { printed } from '../../template/execute/print.ts';
import { valueOf, type Operand } from './operand.ts';
import type { Position } from './position.ts';

/** Returns an operand as a template prints it: like Go, but null as an empty text. */
export function textOf(operand: Operand, position: Position): string {
  const value: Value = valueOf(operand, position);
  return value === null ? '' : printed(value);
}
