import { format } from '../../go/fmt.ts';
import { formatPointee } from '../../go/fmt-value.ts';
import { GoObject } from '../../go/value.ts';
import type { Slot } from './frame.ts';

/** Formats a value as an action prints it. */
export function printed(value: Slot): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'undefined':
      return '<no value>';
    default:
      if (value === null) return '<no value>';
      return value instanceof GoObject ? printedObject(value) : format(value);
  }
}

/**
 * Unlike the printing functions, an action prints the target of a pointer, and uses methods that
 * only the pointer has.
 */
function printedObject(object: GoObject): string {
  const text = object.text() ?? object.addressedText();
  if (text !== undefined) return text;
  return object.kind === 'ptr' ? formatPointee(object) : format(object);
}

/** Whether an action can print the value: any value except functions. */
export function isPrintable(value: Slot): boolean {
  return !(value instanceof GoObject && value.kind === 'func' && value.text() === undefined);
}
