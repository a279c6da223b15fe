import type { GoFunction } from '../go/value.ts';
import { callMethod, methodArgument, type MethodCall } from './call-method.ts';
import { field, fieldWithArguments, followFields, methodOf, type FieldSite } from './field-access.ts';
import type { Expression, Frame, Slot } from './frame.ts';
import type { ArgumentNode, ChainNode, FieldNode, VariableNode } from './node.ts';
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
  const plain = chain.args.length === 0 && chain.final === undefined;
  return { run: plain ? plainChain(chain, site) : callingChain(chain, site), last: chain.place, nullable: true };
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
function callingChain(chain: Chain, site: FieldSite): Expression {
  const { unit, node, place, args, final, receiver } = chain;
  const methodArgs = args.map((arg) => methodArgument(unit, arg));
  const call: MethodCall = { unit, node, place, args: methodArgs, piped: final !== undefined };
  const last = node.names.length - 1;
  const name = node.names[last] ?? '';
  return (frame) => {
    const finalValue = final?.run(frame);
    const first = receiver(frame);
    const container: Slot = last === 0 ? undefined : followFields(frame, first, site, last - 1);
    const target = last === 0 ? first : field(frame, container, site, last - 1, undefined);
    const method = methodOf(target, name);
    if (method !== undefined) return callMethod(frame, method, name, call, finalValue);
    return fieldWithArguments(frame, target, site, container);
  };
}
