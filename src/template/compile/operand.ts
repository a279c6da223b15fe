import { compileConversion } from '../execute/convert.ts';
import type { Expression, Frame } from '../execute/frame.ts';
import type { ArgumentNode, ChainNode, ConstantNode, FieldNode, VariableNode } from '../parse/node.ts';
import { nodeText } from '../parse/node-text.ts';
import { type CompileContext, type Compiled, compileFailure, type Variable, withoutNil } from './compile-context.ts';
import { compileConstant, rawType } from './constant.ts';
import { compileChain } from './field.ts';

const noType = (): string => '';
const dot: Expression = (frame) => frame.dot;
const dotType = (frame: Frame): string => frame.dotType;

/** Arguments for a chain of names; none unless it is the first word of a command. */
interface CallArguments {
  readonly args: readonly ArgumentNode[];
  readonly final: Compiled | undefined;
}

const noArguments: CallArguments = { args: [], final: undefined };

/** Compiles an operand without conversion. */
export function compileOperand(context: CompileContext, node: Exclude<ArgumentNode, ConstantNode>): Compiled {
  switch (node.kind) {
    case 'dot':
      return { run: dot, last: node, nullable: true };
    case 'field':
      return compileField(context, node);
    case 'variable':
      return compileVariable(context, node);
    case 'chain':
      return compileChainNode(context, node);
    case 'identifier':
      return context.compile.call(context, node, node, [], undefined);
    case 'pipe':
      return withoutNil(context.compile.pipeline(context, node));
  }
}

/** Compiles an operand as an argument of a type. */
export function compileArgument(context: CompileContext, type: string, node: ArgumentNode): Compiled {
  if (isConstant(node)) return compileConstant(context, type, node);
  const operand = compileOperand(context, node);
  return type === rawType ? operand : compileConversion(context, operand, type);
}

/** Whether an operand is a literal. */
export function isConstant(node: ArgumentNode): node is ConstantNode {
  return node.kind === 'string' || node.kind === 'number' || node.kind === 'bool' || node.kind === 'nil';
}

/** Compiles `.a.b`. */
export function compileField(context: CompileContext, node: FieldNode, call = noArguments): Compiled {
  return compileChain({ context, node, receiver: dot, receiverType: dotType, errorNode: node, ...call });
}

/** Compiles `$x` and `$x.a.b`. */
export function compileVariable(context: CompileContext, node: VariableNode, call = noArguments): Compiled {
  const variable = findVariable(context, node.name);
  if (variable === undefined) return compileFailure(context, node, `undefined variable: ${node.name}`);
  const { slot, ranged } = variable;
  const receiver: Expression = (frame) => frame.variables[slot];
  if (node.names.length === 0) return { run: receiver, last: node, nullable: true };
  const receiverType = ranged ? (frame: Frame): string => frame.variableTypes[slot] ?? '' : noType;
  return compileChain({ context, node, receiver, receiverType, errorNode: node, ...call });
}

/** Returns the innermost variable with a name. */
export function findVariable(context: CompileContext, name: string): Variable | undefined {
  return context.scope.find(name);
}

/** Compiles `(pipeline).a.b`. */
export function compileChainNode(context: CompileContext, node: ChainNode, call = noArguments): Compiled {
  if (isConstant(node.node))
    return compileFailure(context, node, `indirection through explicit nil in ${nodeText(node)}`);
  const { run, last } = compileOperand(context, node.node);
  return compileChain({ context, node, receiver: run, receiverType: noType, errorNode: last, ...call });
}
