import { GoError, type Value } from '../../go/value.ts';
import type { Frame, Slot } from './frame.ts';
import type { AnyNode } from '../parse/node.ts';
import { TemplateLimitError } from '../template-error.ts';
import { positionOf } from '../template-file.ts';
import { fail, type CompileContext } from '../compile/compile-context.ts';

/** Calls a function, and reports its errors as errors of the template at `node`. */
export function invoke(
  context: CompileContext,
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
    return callFailed(context, frame, node, name, error);
  }
}

/**
 * Converts an error thrown by a function to the error of the template. Errors other than
 * {@link GoError} are rethrown.
 */
export function callFailed(context: CompileContext, frame: Frame, node: AnyNode, name: string, error: unknown): never {
  if (error instanceof TemplateLimitError && error.isText) {
    throw new TemplateLimitError(context.name, positionOf(context.file, node.pos), error.limit);
  }
  if (!(error instanceof GoError)) throw error;
  return fail(context, frame, node, `error calling ${name}: ${error.message}`, error);
}
