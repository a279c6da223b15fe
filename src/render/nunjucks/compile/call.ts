import { type CompileContext, nameOf, positionOf, splitArguments } from '../compile-context.ts';
import { expressionText } from '../expression-text.ts';
import type { CallNode, FilterNode, Node } from '../node.ts';
import { Callable, failUndefined, kindText, type Operand, Undefined } from '../operand.ts';
import { failAt, type Position } from '../position.ts';
import { nested, step } from '../run.ts';
import { type Evaluate, frameIn, type Scope } from '../scope.ts';

type Arguments = (scope: Scope) => { args: Operand[]; named: Map<string, Operand> };

/** Compiles `name(…)`. */
export function compileCall(context: CompileContext, node: CallNode): Evaluate {
  const position = positionOf(context, node);
  if (node.name.typename === 'Symbol' && node.name.value === 'super') return compileSuper(position);
  const callee = context.expression(node.name);
  const text = expressionText(node.name);
  const evaluate = compileArguments(context, node.args.children);
  return (scope) => {
    const callable = callee(scope);
    if (callable instanceof Undefined) return failUndefined(callable, position);
    if (!(callable instanceof Callable)) return failAt(position, `${text} is not a function but ${kindText(callable)}`);
    step(scope.page.run, position);
    return callable.call({ ...evaluate(scope), position });
  };
}

/** Compiles `value | name(…)`. The piped value is the last argument, as in Go's pipelines. */
export function compileFilter(context: CompileContext, node: FilterNode): Evaluate {
  const position = positionOf(context, node);
  const name = nameOf(context, node.name, 'a filter');
  const [first, ...rest] = node.args.children;
  const piped = first ? context.expression(first) : () => null;
  const evaluate = compileArguments(context, rest);
  return (scope) => {
    const callable = scope.page.functions.get(name);
    if (callable === undefined) return failAt(position, `there is no filter ${name}`);
    step(scope.page.run, position);
    const value = piped(scope);
    const { args, named } = evaluate(scope);
    return callable.call({ args: [...args, value], named, position });
  };
}

function compileArguments(context: CompileContext, nodes: readonly Node[]): Arguments {
  const { positional, named } = splitArguments(context, nodes);
  const values = positional.map((node) => context.expression(node));
  const byName = named.map(([name, node]: [string, Node]) => [name, context.expression(node)] as const);
  return (scope) => ({
    args: values.map((value) => value(scope)),
    named: new Map(byName.map(([name, value]) => [name, value(scope)])),
  });
}

/** Compiles `super()`: the block of the same name in the extended template. */
function compileSuper(position: Position): Evaluate {
  return (scope) => {
    const { block, state, frame, page } = scope;
    if (block === undefined) return failAt(position, 'super() can be used only in blocks');
    const above = state.blocks.get(block.name)?.[block.level + 1];
    if (above === undefined) return failAt(position, `no template above has a block ${block.name}`);
    const output = { text: '' };
    const inner = { ...scope, output, block: { name: block.name, level: block.level + 1 } };
    nested(page.run, position, () => above({ ...inner, frame: frameIn(frame, { isolated: true }) }));
    return output.text;
  };
}
