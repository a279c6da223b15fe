import { sortedKeys } from '../../go/text.ts';
import { isList, isMap } from '../../go/types.ts';
import { GoObject, type Value } from '../../go/value.ts';
import { kindText } from './operand.ts';
import { failAt, type Position } from './position.ts';

/** What a loop goes through, for each turn what its names stand for. `count` is the number of names. */
export function turnsOf(value: Value, count: number, position: Position): readonly (readonly Value[])[] {
  const contents = (value instanceof GoObject ? value.contents() : undefined) ?? value;
  if (contents === null) return [];
  if (isMap(contents)) return mapTurns(contents, count, position);
  if (!isList(contents)) return failAt(position, `a loop needs a list or a map, not ${kindText(value)}`);
  return count === 1
    ? contents.map((element) => [element])
    : contents.map((element) => partsOf(element, count, position));
}

/** In the order of the keys: the value for one name, key and value for two. */
function mapTurns(map: ReadonlyMap<string, Value>, count: number, position: Position): Value[][] {
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
