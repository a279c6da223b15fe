import { goTypeOf, isMap } from '../../go/types.ts';
import { GoError, GoObject, Int, type IntKind, NamedMap, Slice, type Value } from '../../go/value.ts';

/** Parameter types by Go's names, and the values they accept. */

/** Whether a parameter accepts any value. */
export function acceptsAnyValue(type: string): boolean {
  return type === 'interface {}' || type === 'reflect.Value' || type === 'any';
}

/** Whether nil is a value of the type. */
export function canBeNil(type: string): boolean {
  return acceptsAnyValue(type) || type === 'error' || /^(?:\[\]|map\[|\*|func\()/.test(type);
}

const integerTypes: ReadonlySet<string> = new Set<IntKind>([
  'int',
  'int8',
  'int16',
  'int32',
  'int64',
  'uint',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
]);

/** Whether the type is one of Go's integer types. */
export function isIntegerType(type: string): type is IntKind {
  return integerTypes.has(type);
}

/** An empty map that rejects new entries. */
class NilMap extends NamedMap {
  constructor(goType: string) {
    super(goType, null);
  }

  override set(): this {
    throw new GoError('assignment to entry in nil map');
  }
}

/** Returns the zero value of a type, used for nil arguments and missing map keys. */
export function zeroValue(type: string): Value {
  if (type.startsWith('map[')) return new NilMap(type);
  if (type.startsWith('[]')) return type === '[]uint8' ? new Uint8Array() : new Slice(type.slice(2), null);
  if (isIntegerType(type)) return new Int(type, 0n);
  switch (type) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'float64':
      return 0;
    default:
      return null;
  }
}

/** Returns the element type of a map or list. */
export function elementType(container: Value): string {
  if (container instanceof Slice) return container.element;
  if (container instanceof Uint8Array) return 'uint8';
  if (container instanceof GoObject) return container.elementType();
  const type = container instanceof NamedMap ? container.goType : '';
  return /^map\[[^\]]*\](.*)$/.exec(type)?.[1] ?? 'interface {}';
}

/** Whether a value can be passed for a parameter type. */
export function isAssignable(value: Value, type: string): boolean {
  switch (type) {
    case 'interface {}':
    case 'reflect.Value':
    case 'any':
      return true;
    case 'string':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'float64':
      return typeof value === 'number';
    case 'map[string]interface {}':
      return isMap(value) && !(value instanceof NamedMap && value.goType.startsWith('map[') && value.goType !== type);
    default:
      return value !== null && hasType(value, type);
  }
}

/**
 * Whether a value has a type, or is a pointer to it, or the type is a pointer to the value's type.
 */
function hasType(value: NonNullable<Value>, type: string): boolean {
  const own = goTypeOf(value);
  if (own === type) return true;
  return value instanceof GoObject && (own === `*${type}` || `*${own}` === type);
}
