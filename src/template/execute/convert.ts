import { goTypeOf } from '../../go/types.ts';
import type { Value } from '../../go/value.ts';
import { type CompileContext, type Compiled, type ErrorNode, fail } from '../compile/compile-context.ts';
import { acceptsAnyValue, canBeNil, isAssignable, zeroValue } from './argument-type.ts';
import type { Expression, Frame, Slot } from './frame.ts';

/** Converts a value to an argument of a type; reports an error at `errorNode`. */
export function convert(context: CompileContext, frame: Frame, errorNode: ErrorNode, value: Slot, type: string): Value {
  if (value === undefined || value === null) return convertNil(context, frame, errorNode, value, type);
  if (isAssignable(value, type)) return value;
  return fail(context, frame, errorNode, `wrong type for value; expected ${type}; got ${goTypeOf(value)}`);
}

function convertNil(
  context: CompileContext,
  frame: Frame,
  errorNode: ErrorNode,
  value: null | undefined,
  type: string,
): Value {
  if (acceptsAnyValue(type)) return null;
  if (value === undefined && canBeNil(type)) return zeroValue(type);
  const problem =
    value === undefined
      ? `invalid value; expected ${type}`
      : `wrong type for value; expected ${type}; got interface {}`;
  return fail(context, frame, errorNode, problem);
}

/** Returns an expression whose result is checked against a type. */
export function compileConversion(context: CompileContext, compiled: Compiled, type: string): Compiled {
  const { run, last } = compiled;
  return { run: conversion(context, run, last, type), last, nullable: acceptsAnyValue(type) };
}

function conversion(context: CompileContext, run: Expression, errorNode: ErrorNode, type: string): Expression {
  if (acceptsAnyValue(type)) return (frame) => run(frame) ?? null;
  if (type === 'string') {
    return (frame) => {
      const value = run(frame);
      return typeof value === 'string' ? value : convert(context, frame, errorNode, value, type);
    };
  }
  return (frame) => convert(context, frame, errorNode, run(frame), type);
}
