import { goTypeOf, isMap } from '../../go/types.ts';
import { GoObject, NamedMap, type GoFunction, type Value } from '../../go/value.ts';
import { elementType, zeroValue } from './argument-type.ts';
import type { Frame, Slot } from './frame.ts';
import { fail, type Place, type Unit } from '../compile/unit.ts';

/** A chain of names in a template, such as `.Values.image.tag`. */
export interface FieldSite {
  readonly unit: Unit;
  readonly names: readonly string[];
  readonly place: Place;
  /** Go's type of what the first name is looked up on, where it is an element of a list or map; else empty. */
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

/** Looks up the name at `index`. `container` is what the receiver was found in. */
export function field(frame: Frame, receiver: Slot, site: FieldSite, index: number, container: Slot): Slot {
  if (!(receiver instanceof Map)) return fieldOfOther(frame, receiver, site, index, container);
  const name = site.names[index] ?? '';
  if (receiver instanceof NamedMap) {
    const method = receiver.method(name);
    if (method !== undefined) return site.callMethod(frame, method, name);
  }
  // a Map that is a value has strings for keys and values for values
  const value = receiver.get(name) as Slot;
  return value === undefined ? missing(frame, receiver as Value, site, name) : value;
}

function fieldOfOther(frame: Frame, receiver: Slot, site: FieldSite, index: number, container: Slot): Slot {
  const name = site.names[index] ?? '';
  if (receiver === undefined) return fieldOfNothing(frame, site, name);
  if (receiver === null) {
    return fail(site.unit, frame, site.place, `nil pointer evaluating interface {}.${name}`);
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
  if (frame.running.missingKey === 'error') {
    fail(site.unit, frame, site.place, `nil data; no entry for key "${name}"`);
  }
  return undefined;
}

function missing(frame: Frame, container: Value, site: FieldSite, name: string): Slot {
  switch (frame.running.missingKey) {
    case 'invalid':
      return undefined;
    case 'zero':
      return container instanceof Map && !(container instanceof NamedMap) ? null : zeroValue(elementType(container));
    case 'error':
      return fail(site.unit, frame, site.place, `map has no entry for key "${name}"`);
  }
}

function noSuchField(frame: Frame, receiver: Value, site: FieldSite, index: number, container: Slot): never {
  const name = site.names[index] ?? '';
  const type = staticType(frame, receiver, site, index, container);
  const unexported = receiver instanceof GoObject && receiver.members().some(([member]) => member === name);
  const problem = unexported ? `${name} is an unexported field of struct` : `can't evaluate field ${name} in`;
  return fail(site.unit, frame, site.place, `${problem} type ${type}`);
}

/** Go's type of a receiver as errors name it: of an element of a list or map, the type that all elements have. */
function staticType(frame: Frame, receiver: Value, site: FieldSite, index: number, container: Slot): string {
  if (index === 0) return site.receiverType(frame) || goTypeOf(receiver);
  if (!isMap(container) && !(container instanceof GoObject && isMap(container.contents()))) return goTypeOf(receiver);
  return elementType(container);
}

/** The method of that name that a value has. */
export function methodOf(receiver: Slot, name: string): GoFunction | undefined {
  return receiver instanceof GoObject || receiver instanceof NamedMap ? receiver.method(name) : undefined;
}

/** Looks up the last name of a chain that has arguments, for the error: only methods take arguments. */
export function fieldWithArguments(frame: Frame, receiver: Slot, site: FieldSite, container: Slot): Slot {
  const index = site.names.length - 1;
  const name = site.names[index] ?? '';
  const inMap = isMap(receiver) || (receiver instanceof GoObject && isMap(receiver.contents()));
  if (inMap) return fail(site.unit, frame, site.place, `${name} is not a method but has arguments`);
  const value = fieldOfOther(frame, receiver, site, index, container);
  return value === undefined
    ? value
    : fail(site.unit, frame, site.place, `${name} has arguments but cannot be invoked as function`);
}
