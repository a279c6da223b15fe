import { LimitError } from '../go/limit-error.ts';
import { goSyntax } from './go-syntax.ts';
import type { AliasNode, MappingNode, YamlNode } from './node.ts';
import { formatFloat32 } from './number.ts';
import type { Resolved } from './resolve.ts';
import { isMergeKey, resolveScalar } from './scalar.ts';
import { YamlError } from './yaml-error.ts';

/** A number or boolean, with the text it becomes if a string is required. */
export class TypedScalar {
  readonly value: number | boolean;
  readonly text: string;

  constructor(value: number | boolean, text: string) {
    this.value = value;
    this.text = text;
  }
}

/**
 * The contents of a document. Either all numbers and booleans are {@link TypedScalar}s, or none.
 */
export type YamlTree = null | string | number | boolean | TypedScalar | YamlTree[] | Map<string, YamlTree>;

/** Converts a resolved scalar to a tree value. */
type ScalarMaker = (resolved: Resolved) => null | string | number | boolean | TypedScalar;

/** State of composing one document. */
interface Walk {
  readonly make: ScalarMaker;
  /** Node counts as in go-yaml, which limit the expansion of aliases. */
  decoded: number;
  aliased: number;
  readonly maxAliased: number;
  readonly open: Set<AliasNode>;
  /**
   * The first error that the conversion to JSON reports; errors of syntax and structure take
   * precedence.
   */
  jsonError: string | undefined;
  hasNonFinite: boolean;
}

/** Returns a scalar as a plain value. */
export function plainValue(resolved: Resolved): null | string | number | boolean {
  return resolved.tag === 'int' ? Number(resolved.value) : resolved.value;
}

/** Returns a scalar that keeps its text. */
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

/**
 * Builds the tree of a document. Throws {@link YamlError} with go-yaml's texts, and
 * {@link LimitError} if aliases expand to more than `maxAliased` nodes.
 */
export function compose(root: YamlNode | undefined, make: ScalarMaker, maxAliased: number): YamlTree {
  if (root === undefined) return make({ tag: 'null', value: null });
  const walk: Walk = {
    make,
    decoded: 1,
    aliased: 0,
    maxAliased,
    open: new Set(),
    jsonError: undefined,
    hasNonFinite: false,
  };
  const tree = composeNode(walk, root);
  if (walk.jsonError !== undefined) throw new YamlError(walk.jsonError);
  // a later value of the same key may have replaced it
  const nonFinite = walk.hasNonFinite ? findNonFinite(tree) : undefined;
  if (nonFinite !== undefined) {
    const name = Number.isNaN(nonFinite) ? 'NaN' : nonFinite > 0 ? '+Inf' : '-Inf';
    throw new YamlError(`json: unsupported value: ${name}`);
  }
  return tree;
}

function countNode(walk: Walk): void {
  walk.decoded++;
  if (walk.open.size > 0) walk.aliased++;
  if (walk.aliased > walk.maxAliased) throw new LimitError(`YAML aliases expand to more than ${walk.maxAliased} nodes`);
  const { decoded, aliased } = walk;
  if (aliased > 100 && decoded > 1000 && aliased / decoded > allowedAliasRatio(decoded)) {
    throw new YamlError('yaml: document contains excessive aliasing');
  }
}

/**
 * Returns the allowed share of nodes from aliases: 99% of a small document, 10% of a large one.
 */
function allowedAliasRatio(decoded: number): number {
  const [low, high] = [400_000, 4_000_000];
  if (decoded <= low) return 0.99;
  return decoded >= high ? 0.1 : 0.99 - 0.89 * ((decoded - low) / (high - low));
}

function composeNode(walk: Walk, node: YamlNode): YamlTree {
  countNode(walk);
  switch (node.kind) {
    case 'scalar':
      return composeScalar(walk, resolveScalar(node));
    case 'sequence':
      return node.items.map((item) => composeNode(walk, item));
    case 'mapping': {
      const map = new Map<string, YamlTree>();
      composeMapping(walk, node, map);
      return map;
    }
    case 'alias':
      return followAlias(walk, node, () => composeNode(walk, node.target));
  }
}

function composeScalar(walk: Walk, resolved: Resolved): YamlTree {
  if (resolved.tag === 'float' && !Number.isFinite(resolved.value)) walk.hasNonFinite = true;
  return walk.make(resolved);
}

/**
 * Returns the first number in the tree that JSON cannot represent, in the order in which JSON is
 * written.
 */
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

/** Adds the entries of a mapping to `map`, replacing existing ones. */
function composeMapping(walk: Walk, { items }: MappingNode, map: Map<string, YamlTree>): void {
  for (let i = 0; i + 1 < items.length; i += 2) {
    const [key, value] = [items[i], items[i + 1]];
    if (key === undefined || value === undefined) continue;
    if (isMergeKey(key)) {
      merge(walk, value, map);
      continue;
    }
    const [name, jsonError] = composeKey(walk, key);
    map.set(name, composeNode(walk, value));
    if (jsonError !== undefined) walk.jsonError ??= `${jsonError}, value: ${goSyntax(value)}`;
  }
}

/** Returns the text of a key, and the error if JSON does not allow the key. */
function composeKey(walk: Walk, node: YamlNode): [key: string, jsonError?: string] {
  const target = node.kind === 'alias' ? node.target : node;
  if (target.kind !== 'scalar') {
    composeNode(walk, node);
    throw new YamlError(`yaml: invalid map key: ${goSyntax(node)}`);
  }
  countNode(walk);
  if (target !== node) countNode(walk);
  return keyText(resolveScalar(target));
}

function keyText(resolved: Resolved): [key: string, jsonError?: string] {
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

function followAlias<R>(walk: Walk, alias: AliasNode, read: () => R): R {
  if (walk.open.has(alias)) throw new YamlError(`yaml: anchor '${alias.name}' value contains itself`);
  walk.open.add(alias);
  const result = read();
  walk.open.delete(alias);
  return result;
}

function merge(walk: Walk, value: YamlNode, map: Map<string, YamlTree>): void {
  if (value.kind !== 'sequence') mergeMapping(walk, value, map);
  else for (const item of value.items.toReversed()) mergeMapping(walk, item, map);
}

function mergeMapping(walk: Walk, value: YamlNode, map: Map<string, YamlTree>): void {
  const target = value.kind === 'alias' ? value.target : value;
  if (target.kind !== 'mapping') throw new YamlError('yaml: map merge requires map or sequence of maps as the value');
  countNode(walk);
  if (value.kind !== 'alias') {
    composeMapping(walk, target, map);
    return;
  }
  followAlias(walk, value, () => {
    countNode(walk);
    composeMapping(walk, target, map);
  });
}
