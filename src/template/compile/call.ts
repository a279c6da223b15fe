import { goTypeOf, truth } from '../../go/types.ts';
import type { GoFunction, Value } from '../../go/value.ts';
import { builtins, type Builtin } from '../execute/builtins.ts';
import { argumentCountError, parameterType } from '../execute/call.ts';
import { compileArgument } from './operand.ts';
import { rawType } from './constant.ts';
import { convert } from '../execute/convert.ts';
import { isLarge, type Expression, type Frame, type Slot } from '../execute/frame.ts';
import type { BoundFunction } from '../function.ts';
import { callFailed, invoke } from '../execute/invoke.ts';
import type { ArgumentNode, CommandNode, IdentifierNode } from '../parse/node.ts';
import { nodeText } from '../parse/node-text.ts';
import { failing, type Compiled, type Place, type Unit } from './unit.ts';

type Call = (...args: Slot[]) => Slot;

/** A call of a function while it is compiled. */
interface Site {
  readonly unit: Unit;
  /** Where errors of the function are. */
  readonly node: CommandNode | IdentifierNode;
  readonly name: string;
  readonly args: readonly Compiled[];
  /** The argument that comes through the pipe. */
  readonly final: Compiled | undefined;
  readonly finalType: string;
  /** Where an error of that argument is. */
  readonly place: Place;
}

/** Compiles the call of a function. `final` is what comes through the pipe. */
export function compileCall(
  unit: Unit,
  node: CommandNode | IdentifierNode,
  identifier: IdentifierNode,
  args: readonly ArgumentNode[],
  final: Compiled | undefined,
): Compiled {
  const { name } = identifier;
  const known = unit.functions.get(name);
  const builtin = known === undefined ? builtins.get(name) : undefined;
  const signature = known ?? builtin;
  if (signature === undefined) return failing(unit, identifier, `"${name}" is not a defined function`, final);
  const wrong = argumentCountError(signature, name, args.length, final !== undefined);
  if (wrong !== undefined) return failing(unit, identifier, wrong, final);
  const typeAt = (i: number): string => argumentType(signature, i, builtin !== undefined);
  const compiled = args.map((arg, i) => compileArgument(unit, typeAt(i), arg));
  const place = compiled.length === 0 ? identifier : compiled.at(-1)?.last;
  const site = { unit, node, name, args: compiled, final, finalType: typeAt(args.length), place };
  if (builtin !== undefined && (name === 'and' || name === 'or')) return compileShortCircuit(site, name === 'or');
  return { run: callExpression(site, known ?? signature, args), last: place, nullable: builtin?.nullable ?? true };
}

function argumentType(signature: GoFunction | BoundFunction | Builtin, index: number, builtin: boolean): string {
  const type = parameterType(signature, index);
  return builtin && type === 'reflect.Value' ? rawType : type;
}

function callExpression(
  site: Site,
  called: GoFunction | BoundFunction | Builtin,
  args: readonly ArgumentNode[],
): Expression {
  if (called.call === undefined) return boundCall(site);
  // the arguments are checked against the parameters before the call
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

/** What Go's `reflect.Value.String` answers. */
function reflectText(value: Slot): string {
  if (typeof value === 'string') return value;
  return `<${value === undefined ? 'invalid' : goTypeOf(value)} Value>`;
}

function boundCall(site: Site): Expression {
  const { unit, node, name } = site;
  return generalCall(site, ({ running }) => {
    running.step(unit, node);
    return running.boundCall(name);
  });
}

/** What a function made, counted where it is large. */
function made(frame: Frame, { unit, node }: Site, value: Slot): Slot {
  if (isLarge(value)) frame.running.weigh(unit, node, value);
  return value;
}

function plainCall(site: Site, call: Call): Expression {
  const { unit, node, name, args } = site;
  const [first, second, third, more] = args.map((arg) => arg.run);
  if (first === undefined) return generalCall(site, () => call);
  if (second === undefined) {
    return (frame) => {
      const a = first(frame);
      if (isLarge(a)) frame.running.weigh(unit, node, a);
      try {
        return made(frame, site, call(a));
      } catch (error) {
        return callFailed(unit, frame, node, name, error);
      }
    };
  }
  if (third === undefined) {
    return (frame) => {
      const a = first(frame);
      const b = second(frame);
      if (isLarge(a)) frame.running.weigh(unit, node, a);
      if (isLarge(b)) frame.running.weigh(unit, node, b);
      try {
        return made(frame, site, call(a, b));
      } catch (error) {
        return callFailed(unit, frame, node, name, error);
      }
    };
  }
  if (more !== undefined) return generalCall(site, () => call);
  return (frame) => {
    const a = first(frame);
    const b = second(frame);
    const c = third(frame);
    if (isLarge(a)) frame.running.weigh(unit, node, a);
    if (isLarge(b)) frame.running.weigh(unit, node, b);
    if (isLarge(c)) frame.running.weigh(unit, node, c);
    try {
      return made(frame, site, call(a, b, c));
    } catch (error) {
      return callFailed(unit, frame, node, name, error);
    }
  };
}

/** A call that gets its last argument through the pipe: that is computed first, and checked last. */
function pipedCall(site: Site, call: Call, final: Expression): Expression {
  const { unit, node, name, args } = site;
  const check = finalCheck(site);
  const [first, second] = args.map((arg) => arg.run);
  if (first === undefined) {
    return (frame) => {
      const a = check(frame, final(frame));
      if (isLarge(a)) frame.running.weigh(unit, node, a);
      try {
        return made(frame, site, call(a));
      } catch (error) {
        return callFailed(unit, frame, node, name, error);
      }
    };
  }
  if (second !== undefined) return generalCall(site, () => call);
  return (frame) => {
    const piped = final(frame);
    const a = first(frame);
    const b = check(frame, piped);
    if (isLarge(a)) frame.running.weigh(unit, node, a);
    if (isLarge(b)) frame.running.weigh(unit, node, b);
    try {
      return made(frame, site, call(a, b));
    } catch (error) {
      return callFailed(unit, frame, node, name, error);
    }
  };
}

function finalCheck({ unit, place, finalType }: Site): (frame: Frame, value: Slot) => Slot {
  if (finalType === rawType) return (_frame, value) => value;
  return (frame, value) => convert(unit, frame, place, value, finalType);
}

function generalCall(site: Site, callOf: (frame: Frame) => Call): Expression {
  const { unit, node, name, args, final } = site;
  const check = finalCheck(site);
  return (frame) => {
    const piped = final?.run(frame);
    const values = args.map((arg) => arg.run(frame));
    if (final !== undefined) values.push(check(frame, piped));
    for (const value of values) if (isLarge(value)) frame.running.weigh(unit, node, value);
    // a function never yields `undefined`, a built-in may
    const call = callOf(frame) as (...args: never[]) => Value;
    return made(frame, site, invoke(unit, frame, node, name, call, values));
  };
}

/** `and` and `or`: the first argument that decides, or the last. */
function compileShortCircuit({ args, final, place }: Site, decides: boolean): Compiled {
  const run = (frame: Frame): Slot => {
    const piped = final?.run(frame);
    let value: Slot;
    for (const arg of args) {
      value = arg.run(frame);
      if (arg.last !== undefined) frame.last = arg.last;
      if ((value !== undefined && truth(value)) === decides) return value;
    }
    if (args.length === 0) frame.last = place;
    return final === undefined ? value : piped;
  };
  return { run, last: undefined, nullable: true };
}
