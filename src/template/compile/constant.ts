import { Complex } from '../../go/types.ts';
import { Int, type Value } from '../../go/value.ts';
import { acceptsAnyValue, canBeNil, isIntegerType, zeroValue } from '../execute/argument-type.ts';
import type { Slot } from '../execute/frame.ts';
import type { ConstantNode, NumberNode } from '../parse/node.ts';
import { nodeText } from '../parse/node-text.ts';
import { type CompileContext, type Compiled, compileFailure } from './compile-context.ts';

/** Type of a parameter that accepts any result of an operand, including no value. */
export const rawType = '';

/** Compiles a literal as an argument of a type. */
export function compileConstant(context: CompileContext, type: string, node: ConstantNode): Compiled {
  const value = node.kind === 'nil' ? nilOf(type) : constantOf(type, node);
  if (typeof value === 'object' && value !== null && 'problem' in value)
    return compileFailure(context, node, value.problem);
  return { run: () => value, last: node, nullable: value === null };
}

/** The error for a literal that does not fit a type. */
interface TypeMismatch {
  readonly problem: string;
}

function nilOf(type: string): Slot | TypeMismatch {
  if (type === rawType) return undefined;
  if (acceptsAnyValue(type)) return null;
  return canBeNil(type) ? zeroValue(type) : { problem: `cannot assign nil to ${type}` };
}

function constantOf(type: string, node: Exclude<ConstantNode, { kind: 'nil' }>): Slot | TypeMismatch {
  if (type === rawType || acceptsAnyValue(type)) return node.kind === 'number' ? numberOf(node) : node.value;
  if (isIntegerType(type)) return integerOf(type, node);
  switch (type) {
    case 'string':
      return node.kind === 'string' ? node.value : { problem: `expected string; found ${nodeText(node)}` };
    case 'bool':
      return node.kind === 'bool' ? node.value : { problem: `expected bool; found ${nodeText(node)}` };
    case 'float64':
      return (
        (node.kind === 'number' ? node.float : undefined) ?? { problem: `expected float; found ${nodeText(node)}` }
      );
    case 'time.Duration':
      return integerOf('int64', node);
    default:
      return { problem: `can't handle ${nodeText(node)} for arg of type ${type}` };
  }
}

function integerOf(type: Int['kind'], node: ConstantNode): Value | TypeMismatch {
  const unsigned = type.startsWith('u');
  const value = node.kind === 'number' ? (unsigned ? node.uint : node.int) : undefined;
  if (value !== undefined) return new Int(type, value);
  return { problem: `expected ${unsigned ? 'unsigned ' : ''}integer; found ${nodeText(node)}` };
}

/**
 * Returns a number for a parameter without a specific type: an int if it is written as one, else a
 * float.
 */
function numberOf({ text, int, uint, float, complex }: NumberNode): Value | TypeMismatch {
  if (complex !== undefined) return new Complex(complex.real, complex.imaginary);
  const hexadecimal = /^0x[^p]+$/i.test(text);
  if (float !== undefined && !hexadecimal && !text.startsWith("'") && /[.ep]/i.test(text)) return float;
  if (int !== undefined) return new Int('int', int);
  return { problem: uint === undefined ? `${text} is not a number` : `${text} overflows int` };
}
