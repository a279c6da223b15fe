import { COLLECTION_STYLE, EVENT_ID } from 'js-yaml';
import type { Event } from 'js-yaml';
import { afterNode } from './events.ts';
import type { EventStream } from './events.ts';
import { goSyntax } from './go-syntax.ts';
import { formatFloat32 } from './number.ts';
import { isMergeKey, resolveScalar } from './scalar.ts';
import type { Resolved } from './resolve.ts';
import { YamlError } from './yaml-error.ts';

/** A number or boolean together with the text that it becomes where a string is asked for. */
export class TypedScalar {
  readonly value: number | boolean;
  readonly text: string;

  constructor(value: number | boolean, text: string) {
    this.value = value;
    this.text = text;
  }
}

/** What a document holds. Numbers and booleans are either all {@link TypedScalar}s or none is. */
export type YamlTree = null | string | number | boolean | TypedScalar | YamlTree[] | Map<string, YamlTree>;

/** Makes the value of what a scalar means. */
type ScalarMaker = (resolved: Resolved) => null | string | number | boolean | TypedScalar;

/** One walk over the events of a document. */
interface Walk extends EventStream {
  readonly make: ScalarMaker;
  at: number;
  /** As go-yaml counts them, to bound what aliases blow up. */
  decoded: number;
  aliased: number;
  readonly open: Set<number>;
  /** The first thing that JSON refuses; syntax and structure are complained about before. */
  refusal: string | undefined;
  hasNonFinite: boolean;
}

/** A scalar as values have it. */
export function plainValue(resolved: Resolved): null | string | number | boolean {
  return resolved.tag === 'int' ? Number(resolved.value) : resolved.value;
}

/** A scalar that remembers its text. */
export function typedScalar(resolved: Resolved): null | string | TypedScalar {
  switch (resolved.tag) {
    case 'int':
      return new TypedScalar(Number(resolved.value), String(resolved.value));
    case 'float':
      return new TypedScalar(resolved.value, formatFloat32(resolved.value));
    case 'bool':
      return new TypedScalar(resolved.value, String(resolved.value));
    case 'null':
    case 'str':
    case 'timestamp':
      return resolved.value;
  }
}

/** Builds the first document's tree. Throws {@link YamlError} with go-yaml's texts. */
export function compose(stream: EventStream, make: ScalarMaker): YamlTree {
  if (stream.events.length === 0) return make({ tag: 'null', value: null });
  const walk: Walk = {
    ...stream,
    make,
    at: 1,
    decoded: 1,
    aliased: 0,
    open: new Set(),
    refusal: undefined,
    hasNonFinite: false,
  };
  const tree = composeNode(walk);
  if (walk.refusal !== undefined) throw new YamlError(walk.refusal);
  // a later value of the same key may have replaced it
  const nonFinite = walk.hasNonFinite ? findNonFinite(tree) : undefined;
  if (nonFinite !== undefined) {
    const name = Number.isNaN(nonFinite) ? 'NaN' : nonFinite > 0 ? '+Inf' : '-Inf';
    throw new YamlError(`json: unsupported value: ${name}`);
  }
  return tree;
}

function peek(walk: Walk): Event {
  const event = walk.events[walk.at];
  if (event === undefined) throw new YamlError('yaml: unexpected end of the document');
  return event;
}

function countNode(walk: Walk): void {
  walk.decoded++;
  if (walk.open.size > 0) walk.aliased++;
  const { decoded, aliased } = walk;
  if (aliased > 100 && decoded > 1000 && aliased / decoded > allowedAliasRatio(decoded)) {
    throw new YamlError('yaml: document contains excessive aliasing');
  }
}

/** How much of a document may come out of aliases: 99% of a small one, 10% of a large one. */
function allowedAliasRatio(decoded: number): number {
  const [low, high] = [400_000, 4_000_000];
  if (decoded <= low) return 0.99;
  return decoded >= high ? 0.1 : 0.99 - 0.89 * ((decoded - low) / (high - low));
}

function composeNode(walk: Walk): YamlTree {
  countNode(walk);
  const event = peek(walk);
  switch (event.type) {
    case EVENT_ID.SCALAR:
      walk.at++;
      return composeScalar(walk, resolveScalar(walk, event));
    case EVENT_ID.SEQUENCE:
      return composeSequence(walk);
    case EVENT_ID.MAPPING: {
      const map = new Map<string, YamlTree>();
      composeMapping(walk, map);
      return map;
    }
    case EVENT_ID.ALIAS:
      return throughAlias(walk, () => composeNode(walk));
    case EVENT_ID.DOCUMENT:
    case EVENT_ID.POP:
      throw new YamlError('yaml: unexpected end of a collection');
  }
}

function composeScalar(walk: Walk, resolved: Resolved): YamlTree {
  if (resolved.tag === 'float' && !Number.isFinite(resolved.value)) walk.hasNonFinite = true;
  return walk.make(resolved);
}

/** The first number in the tree that JSON has no form for, in the order in which JSON is written. */
function findNonFinite(tree: YamlTree): number | undefined {
  const value = tree instanceof TypedScalar ? tree.value : tree;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : value;
  if (value instanceof Map)
    return firstNonFinite(
      Array.from(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, child]) => child),
    );
  return Array.isArray(value) ? firstNonFinite(value) : undefined;
}

function firstNonFinite(trees: readonly YamlTree[]): number | undefined {
  for (const tree of trees) {
    const found = findNonFinite(tree);
    if (found !== undefined) return found;
  }
  return undefined;
}

function composeSequence(walk: Walk): YamlTree[] {
  const items: YamlTree[] = [];
  walk.at++;
  while (peek(walk).type !== EVENT_ID.POP) items.push(composeNode(walk));
  walk.at++;
  return items;
}

/** Reads a mapping into `map`; what is there already is replaced. */
function composeMapping(walk: Walk, map: Map<string, YamlTree>): void {
  walk.at++;
  for (let event = peek(walk); event.type !== EVENT_ID.POP; event = peek(walk)) {
    if (event.type === EVENT_ID.SCALAR && isMergeKey(walk, event)) {
      walk.at++;
      merge(walk, map);
    } else {
      refuseEmptyKey(walk, event);
      const [key, refusal] = composeKey(walk);
      const valueAt = walk.at;
      refuseNestedKey(walk, peek(walk));
      map.set(key, composeNode(walk));
      if (refusal !== undefined) walk.refusal ??= `${refusal}, value: ${goSyntax(walk, valueAt)}`;
    }
  }
  walk.at++;
}

/** In YAML 1.1 a key may be left out after a question mark only. */
function refuseEmptyKey(walk: Walk, key: Event): void {
  const isEmpty = key.type === EVENT_ID.SCALAR && key.valueStart < 0 && key.tagStart < 0 && key.anchorStart < 0;
  if (isEmpty && !/(?:^|[\s{[,-])\?(?:\s|$)/.test(walk.source)) throw new YamlError('yaml: did not find expected key');
}

/** js-yaml takes `a: !tag b: c` for a mapping in a mapping. */
function refuseNestedKey(walk: Walk, value: Event): void {
  if (value.type !== EVENT_ID.MAPPING || value.style !== COLLECTION_STYLE.BLOCK) return;
  const lineStart = walk.source.lastIndexOf('\n', value.start - 1) + 1;
  const properties = [value.tagStart, value.anchorStart - 1].filter((start) => start >= lineStart);
  if (/[^\s:?-]/.test(walk.source.slice(lineStart, Math.min(value.start, ...properties)))) {
    throw new YamlError('yaml: mapping values are not allowed in this context');
  }
}

/** The text of a key, and what is wrong with it, where JSON cannot have it. */
function composeKey(walk: Walk): [key: string, refusal?: string] {
  const start = walk.at;
  const event = peek(walk);
  const target = event.type === EVENT_ID.ALIAS ? walk.events[walk.targets?.get(start) ?? start] : event;
  if (target?.type === EVENT_ID.SEQUENCE || target?.type === EVENT_ID.MAPPING) {
    composeNode(walk);
    throw new YamlError(`yaml: invalid map key: ${goSyntax(walk, start)}`);
  }
  countNode(walk);
  walk.at++;
  if (target?.type !== EVENT_ID.SCALAR) throw new YamlError('yaml: unexpected end of a mapping');
  if (target !== event) countNode(walk);
  return keyText(resolveScalar(walk, target));
}

function keyText(resolved: Resolved): [key: string, refusal?: string] {
  switch (resolved.tag) {
    case 'null':
      return ['null', 'unsupported map key of type: %!s(<nil>), key: <nil>'];
    case 'int':
      return resolved.value < 1n << 63n
        ? [String(resolved.value)]
        : [String(resolved.value), `unsupported map key of type: uint64, key: 0x${resolved.value.toString(16)}`];
    case 'float':
      return [formatFloat32(resolved.value)];
    case 'bool':
      return [String(resolved.value)];
    case 'str':
    case 'timestamp':
      return [resolved.value];
  }
}

function throughAlias<R>(walk: Walk, read: () => R): R {
  const alias = walk.at;
  if (walk.open.has(alias)) {
    const event = walk.events[alias];
    const name = event?.type === EVENT_ID.ALIAS ? walk.source.slice(event.anchorStart, event.anchorEnd) : '';
    throw new YamlError(`yaml: anchor '${name}' value contains itself`);
  }
  walk.open.add(alias);
  walk.at = walk.targets?.get(alias) ?? alias;
  const result = read();
  walk.open.delete(alias);
  walk.at = alias + 1;
  return result;
}

function merge(walk: Walk, map: Map<string, YamlTree>): void {
  if (peek(walk).type !== EVENT_ID.SEQUENCE) {
    mergeMapping(walk, map);
    return;
  }
  const starts: number[] = [];
  walk.at++;
  while (peek(walk).type !== EVENT_ID.POP) {
    starts.push(walk.at);
    walk.at = afterNode(walk, walk.at);
  }
  const end = walk.at + 1;
  for (const start of starts.reverse()) {
    walk.at = start;
    mergeMapping(walk, map);
  }
  walk.at = end;
}

function mergeMapping(walk: Walk, map: Map<string, YamlTree>): void {
  countNode(walk);
  const event = peek(walk);
  if (event.type === EVENT_ID.MAPPING) composeMapping(walk, map);
  else if (
    event.type === EVENT_ID.ALIAS &&
    walk.events[walk.targets?.get(walk.at) ?? walk.at]?.type === EVENT_ID.MAPPING
  ) {
    throughAlias(walk, () => {
      countNode(walk);
      composeMapping(walk, map);
    });
  } else throw new YamlError('yaml: map merge requires map or sequence of maps as the value');
}
