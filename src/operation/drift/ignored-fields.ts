import { fieldAt, isJsonObject } from '../../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { OperationError } from '../error.ts';

/** Annotation of a chart's object with JSON pointers of fields that may differ, or `*`. */
const annotation = 'helm-agent/ignore-drift';

/** Characters of the annotation, and number of pointers in it, that are read. */
const maxAnnotation = 4096;
const maxPointers = 50;

/** The steps of a JSON pointer (RFC 6901). None: the whole object. */
export type Pointer = readonly string[];

/** Fields of some objects that may differ. */
export interface IgnoreRule {
  /** Default: all kinds. */
  kind?: string;
  /** Default: all names. */
  name?: string;
  pointer: Pointer;
}

/**
 * Reads rules: `/spec/replicas`, `Deployment:/spec/replicas`, `Deployment/web:/spec/replicas` and
 * `Secret/token:*`. Throws `bad_payload`.
 */
export function readIgnoreRules(texts: readonly string[] = []): IgnoreRule[] {
  return texts.map((text) => {
    const colon = /^[\w.-]+(?:\/[\w.-]+)?:/.exec(text)?.[0].length ?? 0;
    const pointer = readPointer(text.slice(colon));
    if (pointer === undefined) {
      throw new OperationError(
        'bad_payload',
        `ignore: ${JSON.stringify(text)} is not a JSON pointer such as /spec/replicas or Deployment/web:/spec/replicas, and not *`,
      );
    }
    const [kind = '', name = ''] = text.slice(0, Math.max(0, colon - 1)).split('/');
    return { pointer, ...(kind !== '' && { kind }), ...(name !== '' && { name }) };
  });
}

function readPointer(text: string): Pointer | undefined {
  if (text === '*') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Returns what is ignored of an object: by the rules, and by the annotation that it has in the
 * chart. That of the live object does not count: a right to edit one object must not hide that it
 * was edited.
 */
export function ignoredOf(rules: readonly IgnoreRule[], ref: ObjectRef, inChart: KubeObject): Pointer[] {
  const given = rules
    .filter(
      ({ kind = ref.kind, name = ref.name }) => kind.toLowerCase() === ref.kind.toLowerCase() && name === ref.name,
    )
    .map(({ pointer }) => pointer);
  const text = inChart.metadata.annotations?.[annotation];
  if (typeof text !== 'string') return given;
  const own = text.slice(0, maxAnnotation).split(/[\s,]+/, maxPointers);
  return [...given, ...own.map(readPointer).filter((pointer) => pointer !== undefined)];
}

/**
 * Returns the object of a release with the live values of some fields, and without those that the
 * live object lacks, so that applying it leaves them as they are. An item of a list is named by its
 * position in the chart's object or by its `name`.
 */
export function withLiveFields(wanted: KubeObject, live: KubeObject, pointers: readonly Pointer[]): KubeObject {
  const fields = pointers.flatMap((pointer) => (isMetadata(pointer) ? ownMetadata : [pointer]));
  return fields.reduce((object, pointer) => withLive(object, live, pointer) as KubeObject, wanted); // fields below
}

/** The parts of the metadata that a chart sets. */
const ownMetadata: readonly Pointer[] = [
  ['metadata', 'labels'],
  ['metadata', 'annotations'],
];

function isMetadata([part, ...rest]: Pointer): boolean {
  return part === 'metadata' && rest.length === 0;
}

function withLive(wanted: unknown, live: unknown, [part, ...rest]: Pointer): unknown {
  if (part === undefined) return live;
  if (Array.isArray(wanted)) {
    const items: readonly unknown[] = wanted;
    return items
      .map((item, index) =>
        part === nameOf(item) || part === String(index) ? withLive(item, counterpart(live, item, index), rest) : item,
      )
      .filter((item) => item !== undefined);
  }
  if (!isJsonObject(wanted) || !Object.hasOwn(wanted, part)) return wanted;
  const found = fieldAt(live, part);
  const value = withLive(wanted[part], found, rest);
  const fields = Object.entries(wanted).map(([name, own]) => [name, name === part ? value : own] as const);
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
}

/** Returns the item of a live list with the same name, or in the same place if items lack names. */
function counterpart(live: unknown, item: unknown, index: number): unknown {
  if (!Array.isArray(live)) return undefined;
  const items: readonly unknown[] = live;
  const name = nameOf(item);
  return name === undefined ? items[index] : items.find((other) => nameOf(other) === name);
}

function nameOf(item: unknown): string | undefined {
  return isJsonObject(item) && typeof item['name'] === 'string' ? item['name'] : undefined;
}
