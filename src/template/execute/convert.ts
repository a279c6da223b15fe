import { goTypeOf } from '../../go/types.ts';
import type { Value } from '../../go/value.ts';
import { canBeNil, fits, takesAnything, zeroValue } from './argument-type.ts';
import type { Expression, Frame, Slot } from './frame.ts';
import { fail, type Compiled, type Place, type Unit } from '../compile/unit.ts';

/** The value as an argument of that type, or an error at `place`. */
export function convert(unit: Unit, frame: Frame, place: Place, value: Slot, type: string): Value {
  if (value === undefined || value === null) return convertNil(unit, frame, place, value, type);
  if (fits(value, type)) return value;
  return fail(unit, frame, place, `wrong type for value; expected ${type}; got ${goTypeOf(value)}`);
}

function convertNil(unit: Unit, frame: Frame, place: Place, value: null | undefined, type: string): Value {
  if (takesAnything(type)) return null;
  if (value === undefined && canBeNil(type)) return zeroValue(type);
  const problem =
    value === undefined
      ? `invalid value; expected ${type}`
      : `wrong type for value; expected ${type}; got interface {}`;
  return fail(unit, frame, place, problem);
}

/** An expression whose value is checked against a type. */
export function converted(unit: Unit, compiled: Compiled, type: string): Compiled {
  const { run, last } = compiled;
  return { run: converting(unit, run, last, type), last, nullable: takesAnything(type) };
}

function converting(unit: Unit, run: Expression, place: Place, type: string): Expression {
  if (takesAnything(type)) return (frame) => run(frame) ?? null;
  if (type === 'string') {
    return (frame) => {
      const value = run(frame);
      return typeof value === 'string' ? value : convert(unit, frame, place, value, type);
    };
  }
  return (frame) => convert(unit, frame, place, run(frame), type);
}
