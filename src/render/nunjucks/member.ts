import { format } from '../../go/fmt.ts';
import { quote } from '../../go/strconv.ts';
import { isList, isMap } from '../../go/types.ts';
import { GoObject, int, NamedMap, type Value } from '../../go/value.ts';
import { isNumber } from './arithmetic.ts';
import { goCallable } from './go-callable.ts';
import { Callable, kindText, Module, type Operand, Undefined, valueOf, wholeNumber } from './operand.ts';
import { failAt, type Position } from './position.ts';

/** Position and text of a member lookup, for errors. */
export interface LookupSite {
  /** The whole expression: `Values.image.tag`. */
  readonly expression: string;
  /** The part before the member: `Values.image`. */
  readonly target: string;
  readonly position: Position;
}

/**
 * Returns `target.key` or `target[key]`: a key of a map, an element or the `length` of a list, a
 * field or method of one of Helm's objects. Members of JavaScript's objects are never visible.
 */
export function memberOf(target: Operand, key: Operand, site: LookupSite): Operand {
  const { expression, position } = site;
  if (target instanceof Undefined) return new Undefined(expression, target.missing);
  if (target === null) return new Undefined(expression, site.target);
  const member = find(target, keyOf(valueOf(key, position), site), site);
  return member === undefined ? new Undefined(expression) : member;
}

type Key = string | bigint;

function keyOf(value: Value, { expression, position }: LookupSite): Key {
  if (typeof value === 'string') return value;
  if (!isNumber(value))
    return failAt(position, `${expression}: a key must be a text or a number, not ${kindText(value)}`);
  return wholeNumber(value) ?? format(value);
}

/** Returns the member, which can be null; undefined if it does not exist. */
function find(target: NonNullable<Operand>, key: Key, site: LookupSite): Operand | undefined {
  if (target instanceof Module) return target.exports.get(String(key));
  if (target instanceof GoObject) return memberOfObject(target, key, site);
  if (target instanceof Callable || target instanceof Undefined) return failMember(target, key, site);
  if (isMap(target)) return target.get(String(key)) ?? methodOfMap(target, String(key));
  return isList(target) ? memberOfList(target, key, site) : failMember(target, key, site);
}

/**
 * Returns a method of a map, such as `Values.YAML()`. Unlike in Go, a key of that name comes first.
 */
function methodOfMap(map: ReadonlyMap<string, Value>, name: string): Operand | undefined {
  if (map.has(name)) return null;
  const method = map instanceof NamedMap ? map.method(name) : undefined;
  return method && goCallable(name, method);
}

function memberOfList(list: readonly Value[], key: Key, site: LookupSite): Value | undefined {
  if (typeof key === 'bigint') return key < 0n ? undefined : list[Number(key)];
  return key === 'length' ? int(list.length) : failMember(list, key, site);
}

function memberOfObject(object: GoObject, key: Key, site: LookupSite): Operand | undefined {
  const name = String(key);
  const method = object.method(name);
  if (method !== undefined) return goCallable(name, method);
  const field = object.field(name);
  if (field !== undefined) return field;
  const contents = object.contents();
  if (contents === undefined) return failMember(object, key, site);
  return isMap(contents) ? contents.get(name) : memberOfList(contents, key, site);
}

function failMember(target: Operand, key: Key, { expression, position }: LookupSite): never {
  return failAt(position, `${expression}: ${kindText(target)} has no member ${quote(String(key))}`);
}
