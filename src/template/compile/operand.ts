import { compileChain } from './field.ts';
import { compileConstant, rawType } from './constant.ts';
import { converted } from '../execute/convert.ts';
import type { Expression, Frame } from '../execute/frame.ts';
import type { ArgumentNode, ChainNode, ConstantNode, FieldNode, VariableNode } from '../parse/node.ts';
import { nodeText } from '../parse/node-text.ts';
import { failing, settled, type Compiled, type Unit, type Variable } from './unit.ts';

const noType = (): string => '';
const dot: Expression = (frame) => frame.dot;
const dotType = (frame: Frame): string => frame.dotType;

/** What a chain of names is called with: nothing, but where it is the first word of a command. */
interface CalledWith {
  readonly args: readonly ArgumentNode[];
  readonly final: Compiled | undefined;
}

const nothing: CalledWith = { args: [], final: undefined };

/** An operand as it is. */
export function compileOperand(unit: Unit, node: Exclude<ArgumentNode, ConstantNode>): Compiled {
  switch (node.kind) {
    case 'dot':
      return { run: dot, last: node, nullable: true };
    case 'field':
      return compileField(unit, node);
    case 'variable':
      return compileVariable(unit, node);
    case 'chain':
      return compileChainNode(unit, node);
    case 'identifier':
      return unit.compile.call(unit, node, node, [], undefined);
    case 'pipe':
      return settled(unit.compile.pipeline(unit, node));
  }
}

/** An operand as an argument of that type. */
export function compileArgument(unit: Unit, type: string, node: ArgumentNode): Compiled {
  if (isConstant(node)) return compileConstant(unit, type, node);
  const operand = compileOperand(unit, node);
  return type === rawType ? operand : converted(unit, operand, type);
}

/** Whether an operand is a literal. */
export function isConstant(node: ArgumentNode): node is ConstantNode {
  return node.kind === 'string' || node.kind === 'number' || node.kind === 'bool' || node.kind === 'nil';
}

/** `.a.b` */
export function compileField(unit: Unit, node: FieldNode, call = nothing): Compiled {
  return compileChain({ unit, node, receiver: dot, receiverType: dotType, place: node, ...call });
}

/** `$x` and `$x.a.b` */
export function compileVariable(unit: Unit, node: VariableNode, call = nothing): Compiled {
  const variable = findVariable(unit, node.name);
  if (variable === undefined) return failing(unit, node, `undefined variable: ${node.name}`);
  const { slot, ranged } = variable;
  const receiver: Expression = (frame) => frame.variables[slot];
  if (node.names.length === 0) return { run: receiver, last: node, nullable: true };
  const receiverType = ranged ? (frame: Frame): string => frame.variableTypes[slot] ?? '' : noType;
  return compileChain({ unit, node, receiver, receiverType, place: node, ...call });
}

/** The innermost variable of that name. */
export function findVariable(unit: Unit, name: string): Variable | undefined {
  return unit.scope.find(name);
}

/** `(pipeline).a.b` */
export function compileChainNode(unit: Unit, node: ChainNode, call = nothing): Compiled {
  if (isConstant(node.node)) return failing(unit, node, `indirection through explicit nil in ${nodeText(node)}`);
  const { run, last } = compileOperand(unit, node.node);
  return compileChain({ unit, node, receiver: run, receiverType: noType, place: last, ...call });
}
