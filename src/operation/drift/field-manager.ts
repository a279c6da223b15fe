import { fieldAt, isJsonObject, type JsonObject, listAt, objectAt, stringAt } from '../../objects/fields.ts';
import { parsedJson } from '../../objects/json-text.ts';
import type { KubeObject } from '../../objects/object.ts';
import { fieldManager } from '../apply/write.ts';
import type { PathPart } from '../diff/field-changes.ts';

/** A client that owns a field. */
export interface FieldManager {
  manager: string;
  /** When it last changed the object, RFC 3339. */
  time?: string;
}

/** Number of managers that are looked at. An API server merges those of updates from 11 on. */
const maxManagers = 100;

const maxLength = 253;

/**
 * Returns who owns a field of a live object, as its `managedFields` say. Another owner precedes
 * helm, and a later one an earlier one. Undefined for a field that was removed.
 */
export function managerOf(live: KubeObject, parts: readonly PathPart[]): FieldManager | undefined {
  const owners = listAt(live, 'metadata', 'managedFields')
    .slice(0, maxManagers)
    .filter((entry) => ownsField(objectAt(entry, 'fieldsV1'), parts, live))
    .map((entry) => ({ manager: textAt(entry, 'manager') ?? 'unknown', time: textAt(entry, 'time') ?? '' }));
  const others = owners.filter(({ manager }) => manager !== fieldManager);
  const [newest] = (others.length > 0 ? others : owners).sort((a, b) => (a.time < b.time ? 1 : -1));
  if (newest === undefined) return undefined;
  return { manager: newest.manager, ...(newest.time !== '' && { time: newest.time }) };
}

function textAt(entry: unknown, field: string): string | undefined {
  return stringAt(entry, field)?.slice(0, maxLength);
}

/** Whether a set of fields has the one at a path, a part of it, or something that it is part of. */
function ownsField(set: JsonObject, parts: readonly PathPart[], live: unknown): boolean {
  let fields: unknown = set;
  let value = live;
  for (const [depth, part] of parts.entries()) {
    if (!isJsonObject(fields)) return false;
    if (depth > 0 && Object.keys(fields).length === 0) return true;
    const member = memberAt(value, part);
    fields = typeof part === 'string' ? fieldAt(fields, `f:${part}`) : itemFields(fields, member, part);
    if (fields === undefined) return false;
    value = member;
  }
  return true;
}

function memberAt(value: unknown, part: PathPart): unknown {
  if (typeof part === 'string') return fieldAt(value, part);
  if (!Array.isArray(value)) return undefined;
  return typeof part === 'number' ? value[part] : value.find((item) => stringAt(item, 'name') === part.name);
}

/** Finds an item of a list by its keys (`k:`), its value (`v:`) or its position (`i:`). */
function itemFields(fields: JsonObject, item: unknown, part: PathPart): unknown {
  const found = Object.entries(fields).find(([key]) => {
    if (key.startsWith('i:')) return Number(key.slice(2)) === part;
    const named = parsedJson(key.slice(2));
    if (key.startsWith('v:')) return named !== undefined && named === item;
    if (!key.startsWith('k:') || !isJsonObject(named) || !isJsonObject(item)) return false;
    return Object.entries(named).every(([name, value]) => fieldAt(item, name) === value);
  });
  return found?.[1];
}
