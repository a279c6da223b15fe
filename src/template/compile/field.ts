import type { GoFunction } from '../../go/value.ts';
import { callMethod, methodArgument, type MethodCall } from '../execute/call.ts';
import { field, type FieldSite, fieldWithArguments, followFields, methodOf } from '../execute/field-access.ts';
import type { Expression, Frame, Slot } from '../execute/frame.ts';
import type { ArgumentNode, ChainNode, FieldNode, VariableNode } from '../parse/node.ts';
import type { CompileContext, Compiled, ErrorNode } from './compile-context.ts';

/** A chain of names, its receiver, and the arguments for the last name. */
export interface Chain {
  readonly context: CompileContext;
  readonly node: FieldNode | VariableNode | ChainNode;
  readonly receiver: Expression;
  readonly receiverType: (frame: Frame) => string;
  readonly errorNode: ErrorNode;
  readonly args: readonly ArgumentNode[];
  readonly final: Compiled | undefined;
}

/** Compiles a chain of names. Errors are reported at `errorNode`. */
export function compileChain(chain: Chain): Compiled {
  const site = fieldSite(chain);
  if (chain.args.length > 0 || chain.final !== undefined) return methodChain(chain, site);
  return { run: fieldChain(chain, site), last: chain.errorNode, nullable: true };
}

function fieldSite(chain: Chain): FieldSite {
  const { context, node, errorNode, receiverType } = chain;
  const site: MethodCall = { context, node, errorNode, args: [], piped: false };
  return {
    context,
    names: node.names,
    errorNode,
    receiverType,
    callMethod: (frame: Frame, method: GoFunction, name: string) => callMethod(frame, method, name, site, undefined),
  };
}

function fieldChain({ receiver, node }: Chain, site: FieldSite): Expression {
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

/** Compiles a chain whose last name is a method with arguments. */
function methodChain(chain: Chain, site: FieldSite): Compiled {
  const { context, node, errorNode, args, final, receiver } = chain;
  const methodArgs = args.map((arg) => methodArgument(context, arg));
  const call: MethodCall = { context, node, errorNode, args: methodArgs, piped: final !== undefined };
  const name = node.names.at(-1) ?? '';
  const run: Expression = (frame) => {
    const piped = final?.run(frame);
    const [container, target] = receiverOfLast(frame, receiver(frame), site);
    const method = methodOf(target, name);
    if (method !== undefined) return callMethod(frame, method, name, call, piped);
    return fieldWithArguments(frame, target, site, container);
  };
  const lastArg = methodArgs.at(-1);
  return { run, last: lastArg === undefined ? errorNode : lastArg.last, nullable: true };
}

/**
 * Returns the value on which the last name of a chain is looked up, and the value that contains it.
 */
function receiverOfLast(frame: Frame, receiver: Slot, site: FieldSite): [container: Slot, target: Slot] {
  let container: Slot = undefined;
  let target = receiver;
  for (let i = 0; i < site.names.length - 1; i++) {
    const next = field(frame, target, site, i, container);
    container = target;
    target = next;
  }
  return [container, target];
}
