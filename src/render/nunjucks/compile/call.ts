import { expressionText } from '../expression-text.ts';
import { frameIn } from '../frame.ts';
import type { CallNode, FilterNode, Node } from '../node.ts';
import { Callable, failUndefined, kindText, Undefined, type Operand } from '../operand.ts';
import { failAt, type Place } from '../place.ts';
import { nested, step } from '../run.ts';
import type { Evaluate, Scope } from '../scope.ts';
import { nameOf, placeOf, splitArguments, type Unit } from '../unit.ts';

type Arguments = (scope: Scope) => { args: Operand[]; named: Map<string, Operand> };

/** `name(…)`. */
export function compileCall(unit: Unit, node: CallNode): Evaluate {
  const place = placeOf(unit, node);
  if (node.name.typename === 'Symbol' && node.name.value === 'super') return compileSuper(place);
  const callee = unit.expression(node.name);
  const text = expressionText(node.name);
  const evaluate = compileArguments(unit, node.args.children);
  return (scope) => {
    const callable = callee(scope);
    if (callable instanceof Undefined) return failUndefined(callable, place);
    if (!(callable instanceof Callable)) return failAt(place, `${text} is no function but ${kindText(callable)}`);
    step(scope.page.run, place);
    return callable.call({ ...evaluate(scope), place });
  };
}

/** `value | name(…)`: what is piped comes last, as in Go's pipelines. */
export function compileFilter(unit: Unit, node: FilterNode): Evaluate {
  const place = placeOf(unit, node);
  const name = nameOf(unit, node.name, 'a filter');
  const [first, ...rest] = node.args.children;
  const piped = first ? unit.expression(first) : () => null;
  const evaluate = compileArguments(unit, rest);
  return (scope) => {
    const callable = scope.page.functions.get(name);
    if (callable === undefined) return failAt(place, `there is no filter ${name}`);
    step(scope.page.run, place);
    const value = piped(scope);
    const { args, named } = evaluate(scope);
    return callable.call({ args: [...args, value], named, place });
  };
}

function compileArguments(unit: Unit, nodes: readonly Node[]): Arguments {
  const { positional, named } = splitArguments(unit, nodes);
  const values = positional.map((node) => unit.expression(node));
  const byName = named.map(([name, node]: [string, Node]) => [name, unit.expression(node)] as const);
  return (scope) => ({
    args: values.map((value) => value(scope)),
    named: new Map(byName.map(([name, value]) => [name, value(scope)])),
  });
}

/** `super()`: the block of the same name in the template that is extended. */
function compileSuper(place: Place): Evaluate {
  return (scope) => {
    const { block, context, frame, page } = scope;
    if (block === undefined) return failAt(place, 'super() is for blocks');
    const above = context.blocks.get(block.name)?.[block.level + 1];
    if (above === undefined) return failAt(place, `no template above has a block ${block.name}`);
    const output = { text: '' };
    const inner = { ...scope, output, block: { name: block.name, level: block.level + 1 } };
    nested(page.run, place, () => above({ ...inner, frame: frameIn(frame, { isolated: true }) }));
    return output.text;
  };
}
