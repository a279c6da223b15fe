import { GoError, type Value } from '../../go/value.ts';
import type { Frame, Slot } from './frame.ts';
import type { AnyNode } from '../parse/node.ts';
import { positionOf, TemplateLimitError } from '../template-error.ts';
import { fail, type Unit } from '../compile/unit.ts';

/** Calls a function; an error of Go's becomes the error of the template at `node`. */
export function invoke(
  unit: Unit,
  frame: Frame,
  node: AnyNode,
  name: string,
  call: (...args: never[]) => Value,
  values: readonly Slot[],
): Slot {
  try {
    // the arguments were checked against the parameters
    return call(...(values as never[]));
  } catch (error) {
    return callFailed(unit, frame, node, name, error);
  }
}

/** Turns what a function threw into the error of the template. What is no error of Go's goes on as it is. */
export function callFailed(unit: Unit, frame: Frame, node: AnyNode, name: string, error: unknown): never {
  if (error instanceof TemplateLimitError && error.isText) {
    throw new TemplateLimitError(unit.name, positionOf(unit.source, node.pos), error.limit);
  }
  if (!(error instanceof GoError)) throw error;
  return fail(unit, frame, node, `error calling ${name}: ${error.message}`, error);
}
