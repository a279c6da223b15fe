import { GoError, type GoFunction, type Value } from '../../go/value.ts';
import { type CompileContext, type Compiled, type ErrorNode, fail } from '../compile/compile-context.ts';
import { compileConstant } from '../compile/constant.ts';
import type { AnyNode, ArgumentNode, ConstantNode } from '../parse/node.ts';
import { TemplateLimitError } from '../template-error.ts';
import { positionOf } from '../template-file.ts';
import { convert } from './convert.ts';
import type { Frame, Slot } from './frame.ts';

type Signature = Pick<GoFunction, 'params' | 'variadic'>;

/** Returns the type of the parameter for the argument at `index`. */
export function parameterType({ params }: Signature, index: number): string {
  return params[index] ?? params.at(-1) ?? 'interface {}';
}

/**
 * Returns Go's error if a function gets too many or too few arguments. `piped`: there is one more
 * argument from the pipe.
 */
export function argumentCountError(
  signature: Signature,
  name: string,
  count: number,
  piped: boolean,
): string | undefined {
  const total = count + (piped ? 1 : 0);
  const { params, variadic = false } = signature;
  if (variadic) {
    const fixed = params.length - 1;
    return total < fixed ? `wrong number of args for ${name}: want at least ${fixed} got ${count}` : undefined;
  }
  return total === params.length ? undefined : `wrong number of args for ${name}: want ${params.length} got ${total}`;
}

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

/** A method call in a template. The method and its parameters are known only at run time. */
export interface MethodCall {
  readonly context: CompileContext;
  readonly node: AnyNode;
  readonly errorNode: ErrorNode;
  readonly args: readonly MethodArgument[];
  /** Whether there is one more argument from the pipe. */
  readonly piped: boolean;
}

/** An argument whose type is not known yet: a literal, or an operand to be converted. */
interface MethodArgument {
  readonly value: ConstantNode | Compiled;
  /** The operand evaluated last. */
  readonly last: ErrorNode;
}

/** Compiles an argument of a method. */
export function methodArgument(context: CompileContext, node: ArgumentNode): MethodArgument {
  switch (node.kind) {
    case 'nil':
    case 'bool':
    case 'number':
    case 'string':
      return { value: node, last: node };
    default: {
      const value = context.compile.operand(context, node);
      return { value, last: value.last };
    }
  }
}

/** Calls a method with the arguments of a call. */
export function callMethod(frame: Frame, method: GoFunction, name: string, call: MethodCall, final: Slot): Slot {
  const { context, node, args, piped } = call;
  const problem = argumentCountError(method, name, args.length, piped) ?? method.refusal;
  if (problem !== undefined) return fail(context, frame, call.errorNode, problem);
  const values = args.map(({ value, last }, i) => {
    const type = parameterType(method, i);
    return 'run' in value
      ? convert(context, frame, last, value.run(frame), type)
      : compileConstant(context, type, value).run(frame);
  });
  const errorNode = args.length === 0 ? call.errorNode : args.at(-1)?.last;
  if (piped) values.push(convert(context, frame, errorNode, final, parameterType(method, args.length)));
  return invoke(context, frame, node, name, method.call, values);
}
