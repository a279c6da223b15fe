import { sortedKeys } from '../../go/text.ts';
import { isList, isMap } from '../../go/types.ts';
import { GoObject, type Value } from '../../go/value.ts';
import { kindText } from './operand.ts';
import { failAt, type Position } from './position.ts';

/**
 * Returns the values of the loop variables for each iteration.
 * @param count number of loop variables
 */
export function iterationsOf(value: Value, count: number, position: Position): readonly (readonly Value[])[] {
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
