import { int, type Value } from '../../../go/value.ts';
import { iterationsOf } from '../elements.ts';
import { frameIn } from '../frame.ts';
import type { ForNode } from '../node.ts';
import { valueOf } from '../operand.ts';
import { step } from '../run.ts';
import type { Execute } from '../scope.ts';
import { nameOf, positionOf, type CompileContext } from '../compile-context.ts';

/** Compiles `for`, with `loop` in its body. `else` runs if the list is empty. */
export function compileFor(context: CompileContext, node: ForNode): Execute {
  const position = positionOf(context, node);
  const listPosition = positionOf(context, node.arr);
  const nameNodes = node.name.typename === 'Array' ? node.name.children : [node.name];
  const names = nameNodes.map((name) => nameOf(context, name, 'the variable of a loop'));
  const list = context.expression(node.arr);
  const body = context.body(node.body.children);
  const otherwise = context.body(node.else_?.children ?? []);
  return (scope) => {
    const iterations = iterationsOf(valueOf(list(scope), listPosition), names.length, listPosition);
    const frame = frameIn(scope.frame);
    const inner = { ...scope, frame };
    iterations.forEach((values, i) => {
      step(scope.page.run, position);
      names.forEach((name, n) => frame.variables.set(name, values[n] ?? null));
      frame.variables.set('loop', loopFacts(i, iterations.length));
      body(inner);
    });
    if (iterations.length === 0) otherwise(inner);
  };
}

function loopFacts(index: number, length: number): ReadonlyMap<string, Value> {
  return new Map<string, Value>([
    ['index', int(index + 1)],
    ['index0', int(index)],
    ['revindex', int(length - index)],
    ['revindex0', int(length - index - 1)],
    ['first', index === 0],
    ['last', index === length - 1],
    ['length', int(length)],
  ]);
}
