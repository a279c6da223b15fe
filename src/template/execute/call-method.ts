import type { GoFunction } from '../../go/value.ts';
import { argumentCountError, parameterType } from './call.ts';
import { compileConstant } from '../compile/constant.ts';
import { convert } from './convert.ts';
import type { Frame, Slot } from './frame.ts';
import { invoke } from './invoke.ts';
import type { AnyNode, ArgumentNode, ConstantNode } from '../parse/node.ts';
import { fail, type Compiled, type ErrorNode, type CompileContext } from '../compile/compile-context.ts';

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
