import { sortedKeys } from '../../../go/text.ts';
import { isList, isMap } from '../../../go/types.ts';
import { GoObject, int, type Value } from '../../../go/value.ts';
import { type CompileContext, nameOf, positionOf } from '../compile-context.ts';
import type { ForNode } from '../node.ts';
import { kindText, valueOf } from '../operand.ts';
import { failAt, type Position } from '../position.ts';
import { step } from '../run.ts';
import { type Execute, frameIn } from '../scope.ts';

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

/**
 * Returns the values of the loop variables for each iteration.
 * @param count number of loop variables
 */
function iterationsOf(value: Value, count: number, position: Position): readonly (readonly Value[])[] {
  const contents = (value instanceof GoObject ? value.contents() : undefined) ?? value;
  if (contents === null) return [];
  if (isMap(contents)) return mapIterations(contents, count, position);
  if (!isList(contents)) return failAt(position, `a loop needs a list or a map, not ${kindText(value)}`);
  return count === 1
    ? contents.map((element) => [element])
    : contents.map((element) => partsOf(element, count, position));
}

/** Returns the value for one variable, or key and value for two, in the order of the keys. */
function mapIterations(map: ReadonlyMap<string, Value>, count: number, position: Position): Value[][] {
  if (count > 2) return failAt(position, 'a loop over a map has one name for the value, or two for key and value');
  return sortedKeys(map).map((key) => {
    const value = map.get(key) ?? null;
    return count === 1 ? [value] : [key, value];
  });
}

function partsOf(element: Value, count: number, position: Position): readonly Value[] {
  if (isList(element) && element.length === count) return element;
  return failAt(position, `a loop with ${count} names over a list needs lists of ${count} elements in it`);
}
