import type { GoFunction } from '../../go/value.ts';
import { callMethod, methodArgument, type MethodCall } from '../execute/call-method.ts';
import { field, fieldWithArguments, followFields, methodOf, type FieldSite } from '../execute/field-access.ts';
import type { Expression, Frame, Slot } from '../execute/frame.ts';
import type { ArgumentNode, ChainNode, FieldNode, VariableNode } from '../parse/node.ts';
import type { Compiled, Place, Unit } from './unit.ts';

/** A chain of names, the value that it starts at, and what the last name is called with. */
export interface Chain {
  readonly unit: Unit;
  readonly node: FieldNode | VariableNode | ChainNode;
  readonly receiver: Expression;
  readonly receiverType: (frame: Frame) => string;
  readonly place: Place;
  readonly args: readonly ArgumentNode[];
  readonly final: Compiled | undefined;
}

/** Compiles a chain of names. Errors are at `place`. */
export function compileChain(chain: Chain): Compiled {
  const site = fieldSite(chain);
  if (chain.args.length > 0 || chain.final !== undefined) return callingChain(chain, site);
  return { run: plainChain(chain, site), last: chain.place, nullable: true };
}

function fieldSite(chain: Chain): FieldSite {
  const { unit, node, place, receiverType } = chain;
  const site: MethodCall = { unit, node, place, args: [], piped: false };
  return {
    unit,
    names: node.names,
    place,
    receiverType,
    callMethod: (frame: Frame, method: GoFunction, name: string) => callMethod(frame, method, name, site, undefined),
  };
}

function plainChain({ receiver, node }: Chain, site: FieldSite): Expression {
  switch (node.names.length) {
    case 1:
      return (frame) => field(frame, receiver(frame), site, 0, undefined);
    case 2:
      return (frame) => {
        const first = receiver(frame);
        return field(frame, field(frame, first, site, 0, undefined), site, 1, first);
      };
    default:
      return (frame) => followFields(frame, receiver(frame), site);
  }
}

/** A chain whose last name is a method with arguments. */
function callingChain(chain: Chain, site: FieldSite): Compiled {
  const { unit, node, place, args, final, receiver } = chain;
  const methodArgs = args.map((arg) => methodArgument(unit, arg));
  const call: MethodCall = { unit, node, place, args: methodArgs, piped: final !== undefined };
  const name = node.names.at(-1) ?? '';
  const run: Expression = (frame) => {
    const piped = final?.run(frame);
    const [container, target] = beforeLast(frame, receiver(frame), site);
    const method = methodOf(target, name);
    if (method !== undefined) return callMethod(frame, method, name, call, piped);
    return fieldWithArguments(frame, target, site, container);
  };
  const lastArg = methodArgs.at(-1);
  return { run, last: lastArg === undefined ? place : lastArg.last, nullable: true };
}

/** What the last name of a chain is looked up on, and before that what this was found in. */
function beforeLast(frame: Frame, receiver: Slot, site: FieldSite): [container: Slot, target: Slot] {
  let container: Slot = undefined;
  let target = receiver;
  for (let i = 0; i < site.names.length - 1; i++) {
    const next = field(frame, target, site, i, container);
    container = target;
    target = next;
  }
  return [container, target];
}
