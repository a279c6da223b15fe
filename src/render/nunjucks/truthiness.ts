import { truth } from '../../go/types.ts';
import { Callable, Module, Undefined, type Operand } from './operand.ts';

/** Whether `if` goes on: as in Go not with null, zero or anything empty; not with what is undefined either. */
export function isTrue(operand: Operand): boolean {
  if (operand instanceof Undefined) return false;
  return operand instanceof Callable || operand instanceof Module || truth(operand);
}
