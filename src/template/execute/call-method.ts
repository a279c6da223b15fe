import type { GoFunction } from '../../go/value.ts';
import { argumentCountError, parameterType } from './call.ts';
import { compileConstant } from '../compile/constant.ts';
import { convert } from './convert.ts';
import type { Frame, Slot } from './frame.ts';
import { invoke } from './invoke.ts';
import type { AnyNode, ArgumentNode, ConstantNode } from '../parse/node.ts';
import { fail, type Compiled, type Place, type Unit } from '../compile/unit.ts';

/** A place in a template where a method is called. Which one, and what its parameters are, shows only when it runs. */
export interface MethodCall {
  readonly unit: Unit;
  readonly node: AnyNode;
  readonly place: Place;
  readonly args: readonly MethodArgument[];
  /** Whether one more argument comes through the pipe. */
  readonly piped: boolean;
}

/** An argument whose type is not known yet: a literal, or an operand that is converted when it is. */
interface MethodArgument {
  readonly value: ConstantNode | Compiled;
  /** The operand that was looked at last when it is evaluated. */
  readonly last: Place;
}

/** Prepares an argument for methods. */
export function methodArgument(unit: Unit, node: ArgumentNode): MethodArgument {
  switch (node.kind) {
    case 'nil':
    case 'bool':
    case 'number':
    case 'string':
      return { value: node, last: node };
    default: {
      const value = unit.compile.operand(unit, node);
      return { value, last: value.last };
    }
  }
}

/** Calls a method with the arguments of that place. */
export function callMethod(frame: Frame, method: GoFunction, name: string, call: MethodCall, final: Slot): Slot {
  const { unit, node, args, piped } = call;
  const wrong = argumentCountError(method, name, args.length, piped) ?? method.refusal;
  if (wrong !== undefined) return fail(unit, frame, call.place, wrong);
  const values = args.map(({ value, last }, i) => {
    const type = parameterType(method, i);
    return 'run' in value
      ? convert(unit, frame, last, value.run(frame), type)
      : compileConstant(unit, type, value).run(frame);
  });
  const place = args.length === 0 ? call.place : args.at(-1)?.last;
  if (piped) values.push(convert(unit, frame, place, final, parameterType(method, args.length)));
  return invoke(unit, frame, node, name, method.call, values);
}
