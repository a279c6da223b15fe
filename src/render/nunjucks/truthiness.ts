import { truth } from '../../go/types.ts';
import { Callable, Module, Undefined, type Operand } from './operand.ts';

/**
 * Whether `if` treats the operand as true. As in Go, null, zero and empty values are false;
 * undefined is false too.
 */
export function isTrue(operand: Operand): boolean {
  if (operand instanceof Undefined) return false;
  return operand instanceof Callable || operand instanceof Module || truth(operand);
}
