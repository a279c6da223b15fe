import { LimitError } from '../../go/limit-error.ts';
import { goTypeOf } from '../../go/types.ts';
import { GoError, type GoFunction, Int, type Value } from '../../go/value.ts';
import { acceptsAnyValue, isAssignable, isIntegerType } from '../../template/execute/argument-type.ts';
import { argumentCountError, parameterType } from '../../template/execute/call.ts';
import { type Call, Callable, type Operand, Undefined, valueOf, wholeNumber } from './operand.ts';
import { failAt, type Position } from './position.ts';

/** Functions that accept undefined arguments, which they receive as nil. */
const acceptsUndefined: ReadonlySet<string> = new Set(['all', 'any', 'coalesce', 'default', 'empty']);

/** Wraps a Go function or a method of a value for templates. */
export function goCallable(name: string, definition: GoFunction): Callable {
  return new Callable(name, ({ args, named, position }: Call) => {
    if (named.size > 0) failAt(position, `${name} takes no named arguments`);
    const wrong = argumentCountError(definition, name, args.length, false);
    if (wrong !== undefined) failAt(position, wrong);
    const values = args.map((arg, i) => argument(name, arg, parameterType(definition, i), position));
    try {
      // the arguments have been checked against the parameters
      return definition.call(...(values as never[]));
    } catch (error) {
      return callFailed(name, error, position);
    }
  });
}

function argument(name: string, operand: Operand, type: string, position: Position): Value {
  if (operand instanceof Undefined && acceptsUndefined.has(name)) return null;
  const value = valueOf(operand, position);
  if (acceptsAnyValue(type) || isAssignable(value, type)) return value;
  return (
    converted(value, type) ?? failAt(position, `wrong argument for ${name}: expected ${type}, got ${goTypeOf(value)}`)
  );
}

/** Nunjucks has one type of number, so a whole number is accepted for both of Go's types. */
function converted(value: Value, type: string): Value | undefined {
  if (type === 'float64') return value instanceof Int ? Number(value.value) : undefined;
  const whole = isIntegerType(type) ? wholeNumber(value) : undefined;
  return whole !== undefined && isIntegerType(type) ? new Int(type, whole) : undefined;
}

/** Converts an error of Go's to an error of the template. Other errors are thrown unchanged. */
function callFailed(name: string, error: unknown, position: Position): never {
  if (!(error instanceof GoError)) throw error;
  const code = error instanceof LimitError ? 'render_limit' : 'render_failed';
  return failAt(position, `error calling ${name}: ${error.message}`, error, code);
}
