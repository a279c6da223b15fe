import { goTypeOf, truth } from '../../go/types.ts';
import type { GoFunction, Value } from '../../go/value.ts';
import { type Builtin, builtins } from '../execute/builtins.ts';
import { argumentCountError, callFailed, invoke, parameterType } from '../execute/call.ts';
import { convert } from '../execute/convert.ts';
import { type Expression, type Frame, isLarge, type Slot } from '../execute/frame.ts';
import type { BoundFunction } from '../function.ts';
import type { ArgumentNode, CommandNode, IdentifierNode } from '../parse/node.ts';
import { nodeText } from '../parse/node-text.ts';
import { type CompileContext, type Compiled, compileFailure, type ErrorNode } from './compile-context.ts';
import { rawType } from './constant.ts';
import { compileArgument } from './operand.ts';

type Call = (...args: Slot[]) => Slot;

/** A function call being compiled. */
interface CallSite {
  readonly context: CompileContext;
  /** Node for errors of the function. */
  readonly node: CommandNode | IdentifierNode;
  readonly name: string;
  readonly args: readonly Compiled[];
  /** The argument from the pipe. */
  readonly final: Compiled | undefined;
  readonly finalType: string;
  /** Node for errors of that argument. */
  readonly errorNode: ErrorNode;
}

/** Compiles a function call. `final` is the argument from the pipe. */
export function compileCall(
  context: CompileContext,
  node: CommandNode | IdentifierNode,
  identifier: IdentifierNode,
  args: readonly ArgumentNode[],
  final: Compiled | undefined,
): Compiled {
  const { name } = identifier;
  const known = context.functions.get(name);
  const builtin = known === undefined ? builtins.get(name) : undefined;
  const signature = known ?? builtin;
  if (signature === undefined) return compileFailure(context, identifier, `"${name}" is not a defined function`, final);
  const countError = argumentCountError(signature, name, args.length, final !== undefined);
  if (countError !== undefined) return compileFailure(context, identifier, countError, final);
  const typeAt = (i: number): string => argumentType(signature, i, builtin !== undefined);
  const compiled = args.map((arg, i) => compileArgument(context, typeAt(i), arg));
  const errorNode = compiled.length === 0 ? identifier : compiled.at(-1)?.last;
  const site = { context, node, name, args: compiled, final, finalType: typeAt(args.length), errorNode };
  if (builtin !== undefined && (name === 'and' || name === 'or')) return compileShortCircuit(site, name === 'or');
  return { run: callExpression(site, known ?? signature, args), last: errorNode, nullable: builtin?.nullable ?? true };
}

function argumentType(signature: GoFunction | BoundFunction | Builtin, index: number, builtin: boolean): string {
  const type = parameterType(signature, index);
  return builtin && type === 'reflect.Value' ? rawType : type;
}

function callExpression(
  site: CallSite,
  called: GoFunction | BoundFunction | Builtin,
  args: readonly ArgumentNode[],
): Expression {
  if (called.call === undefined) return boundCall(site);
  // arguments are checked against the parameters before the call
  const call = called.call as Call;
  if (builtins.get('call') === called) {
    const callee = args[0] === undefined ? undefined : nodeText(args[0]);
    return generalCall(
      site,
      () =>
        (...values) =>
          call(callee ?? reflectText(values[0]), ...values),
    );
  }
  if (site.final !== undefined) return pipedCall(site, call, site.final.run);
  return plainCall(site, call);
}

/** Go's `reflect.Value.String`. */
function reflectText(value: Slot): string {
  if (typeof value === 'string') return value;
  return `<${value === undefined ? 'invalid' : goTypeOf(value)} Value>`;
}

function boundCall(site: CallSite): Expression {
  const { context, node, name } = site;
  return generalCall(site, ({ execution }) => {
    execution.step(context, node);
    return execution.boundCall(name);
  });
}

function countIfLarge(frame: Frame, site: CallSite, value: Slot): void {
  if (isLarge(value)) frame.execution.countLarge(site.context, site.node, value);
}

// Nearly all calls have one to three arguments, which these functions pass one by one: collecting
// them in an array, as `generalCall` does, makes templates that mostly call functions about 50 %
// slower.

function plainCall(site: CallSite, call: Call): Expression {
  const [first, second, third, fourth] = site.args.map((arg) => arg.run);
  if (first === undefined || fourth !== undefined) return generalCall(site, () => call);
  if (second === undefined) return (frame) => callWithOne(frame, site, call, first(frame));
  if (third === undefined) return (frame) => callWithTwo(frame, site, call, first(frame), second(frame));
  return (frame) => callWithThree(frame, site, call, first(frame), second(frame), third(frame));
}

/** A call whose last argument comes from the pipe: it is evaluated first, and checked last. */
function pipedCall(site: CallSite, call: Call, final: Expression): Expression {
  const check = finalCheck(site);
  const [first, second] = site.args.map((arg) => arg.run);
  if (second !== undefined) return generalCall(site, () => call);
  if (first === undefined) return (frame) => callWithOne(frame, site, call, check(frame, final(frame)));
  return (frame) => {
    const piped = final(frame);
    return callWithTwo(frame, site, call, first(frame), check(frame, piped));
  };
}

function callWithOne(frame: Frame, site: CallSite, call: Call, a: Slot): Slot {
  countIfLarge(frame, site, a);
  try {
    const result = call(a);
    countIfLarge(frame, site, result);
    return result;
  } catch (error) {
    return callFailed(site.context, frame, site.node, site.name, error);
  }
}

function callWithTwo(frame: Frame, site: CallSite, call: Call, a: Slot, b: Slot): Slot {
  countIfLarge(frame, site, a);
  countIfLarge(frame, site, b);
  try {
    const result = call(a, b);
    countIfLarge(frame, site, result);
    return result;
  } catch (error) {
    return callFailed(site.context, frame, site.node, site.name, error);
  }
}

function callWithThree(frame: Frame, site: CallSite, call: Call, a: Slot, b: Slot, c: Slot): Slot {
  countIfLarge(frame, site, a);
  countIfLarge(frame, site, b);
  countIfLarge(frame, site, c);
  try {
    const result = call(a, b, c);
    countIfLarge(frame, site, result);
    return result;
  } catch (error) {
    return callFailed(site.context, frame, site.node, site.name, error);
  }
}

function finalCheck({ context, errorNode, finalType }: CallSite): (frame: Frame, value: Slot) => Slot {
  if (finalType === rawType) return (_frame, value) => value;
  return (frame, value) => convert(context, frame, errorNode, value, finalType);
}

function generalCall(site: CallSite, callOf: (frame: Frame) => Call): Expression {
  const { context, node, name, args, final } = site;
  const check = finalCheck(site);
  return (frame) => {
    const piped = final?.run(frame);
    const values = args.map((arg) => arg.run(frame));
    if (final !== undefined) values.push(check(frame, piped));
    for (const value of values) countIfLarge(frame, site, value);
    // a function never returns `undefined`, a built-in may
    const call = callOf(frame) as (...args: never[]) => Value;
    const result = invoke(context, frame, node, name, call, values);
    countIfLarge(frame, site, result);
    return result;
  };
}

/** Compiles `and` and `or`, which return the first argument that decides, or the last one. */
function compileShortCircuit({ args, final, errorNode }: CallSite, decides: boolean): Compiled {
  const run = (frame: Frame): Slot => {
    const piped = final?.run(frame);
    let value: Slot;
    for (const arg of args) {
      value = arg.run(frame);
      if (arg.last !== undefined) frame.last = arg.last;
      if ((value !== undefined && truth(value)) === decides) return value;
    }
    if (args.length === 0) frame.last = errorNode;
    return final === undefined ? value : piped;
  };
  return { run, last: undefined, nullable: true };
}
