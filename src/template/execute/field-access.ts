import { goTypeOf, isMap } from '../../go/types.ts';
import { type GoFunction, GoObject, NamedMap, type Value } from '../../go/value.ts';
import { type CompileContext, type ErrorNode, fail } from '../compile/compile-context.ts';
import { elementType, zeroValue } from './argument-type.ts';
import type { Frame, Slot } from './frame.ts';

/** A chain of names in a template, such as `.Values.image.tag`. */
export interface FieldSite {
  readonly context: CompileContext;
  readonly names: readonly string[];
  readonly errorNode: ErrorNode;
  /**
   * Returns Go's type of the receiver if it is an element of a list or map, else an empty string.
   */
  readonly receiverType: (frame: Frame) => string;
  /** Calls a method without arguments. */
  readonly callMethod: (frame: Frame, method: GoFunction, name: string) => Slot;
}

/** Looks up all names of the chain. */
export function followFields(frame: Frame, receiver: Slot, site: FieldSite): Slot {
  let container: Slot = undefined;
  let value = receiver;
  for (let i = 0; i < site.names.length; i++) {
    const next = field(frame, value, site, i, container);
    container = value;
    value = next;
  }
  return value;
}

/** Looks up the name at `index`. `container` is the value that contains the receiver. */
export function field(frame: Frame, receiver: Slot, site: FieldSite, index: number, container: Slot): Slot {
  if (!(receiver instanceof Map)) return fieldOfOther(frame, receiver, site, index, container);
  const name = site.names[index] ?? '';
  if (receiver instanceof NamedMap) {
    const method = receiver.method(name);
    if (method !== undefined) return site.callMethod(frame, method, name);
  }
  // a Map that is a Value has string keys and Values
  const value = receiver.get(name) as Slot;
  return value === undefined ? missing(frame, receiver as Value, site, name) : value;
}

function fieldOfOther(frame: Frame, receiver: Slot, site: FieldSite, index: number, container: Slot): Slot {
  const name = site.names[index] ?? '';
  if (receiver === undefined) return fieldOfNothing(frame, site, name);
  if (receiver === null) {
    return fail(site.context, frame, site.errorNode, `nil pointer evaluating interface {}.${name}`);
  }
  if (receiver instanceof GoObject) {
    const method = receiver.method(name);
    if (method !== undefined) return site.callMethod(frame, method, name);
    const value = receiver.field(name);
    if (value !== undefined) return value;
    const contents = receiver.contents();
    if (isMap(contents)) return contents.has(name) ? contents.get(name) : missing(frame, receiver, site, name);
  }
  return noSuchField(frame, receiver, site, index, container);
}

function fieldOfNothing(frame: Frame, site: FieldSite, name: string): Slot {
  if (frame.execution.missingKey === 'error') {
    fail(site.context, frame, site.errorNode, `nil data; no entry for key "${name}"`);
  }
  return undefined;
}

function missing(frame: Frame, container: Value, site: FieldSite, name: string): Slot {
  switch (frame.execution.missingKey) {
    case 'invalid':
      return undefined;
    case 'zero':
      return container instanceof Map && !(container instanceof NamedMap) ? null : zeroValue(elementType(container));
    case 'error':
      return fail(site.context, frame, site.errorNode, `map has no entry for key "${name}"`);
  }
}

function noSuchField(frame: Frame, receiver: Value, site: FieldSite, index: number, container: Slot): never {
  const name = site.names[index] ?? '';
  const type = staticType(frame, receiver, site, index, container);
  const unexported = receiver instanceof GoObject && receiver.members().some(([member]) => member === name);
  const problem = unexported ? `${name} is an unexported field of struct` : `can't evaluate field ${name} in`;
  return fail(site.context, frame, site.errorNode, `${problem} type ${type}`);
}

/**
 * Returns Go's type of a receiver for errors: for an element of a list or map, its element type.
 */
function staticType(frame: Frame, receiver: Value, site: FieldSite, index: number, container: Slot): string {
  if (index === 0) return site.receiverType(frame) || goTypeOf(receiver);
  if (!isMap(container) && !(container instanceof GoObject && isMap(container.contents()))) return goTypeOf(receiver);
  return elementType(container);
}

/** Returns a method of a value by name. */
export function methodOf(receiver: Slot, name: string): GoFunction | undefined {
  return receiver instanceof GoObject || receiver instanceof NamedMap ? receiver.method(name) : undefined;
}

/**
 * Looks up the last name of a chain with arguments, only to report the error, because only methods
 * accept arguments.
 */
export function fieldWithArguments(frame: Frame, receiver: Slot, site: FieldSite, container: Slot): Slot {
  const index = site.names.length - 1;
  const name = site.names[index] ?? '';
  const inMap = isMap(receiver) || (receiver instanceof GoObject && isMap(receiver.contents()));
  if (inMap) return fail(site.context, frame, site.errorNode, `${name} is not a method but has arguments`);
  const value = fieldOfOther(frame, receiver, site, index, container);
  return value === undefined
    ? value
    : fail(site.context, frame, site.errorNode, `${name} has arguments but cannot be invoked as function`);
}
