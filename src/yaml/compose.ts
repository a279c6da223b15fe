import { LimitError } from '../go/limit-error.ts';
import { goSyntax } from './go-syntax.ts';
import type { AliasNode, MappingNode, YamlNode } from './node.ts';
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

/** One walk over the nodes of a document. */
interface Walk {
  readonly make: ScalarMaker;
  /** As go-yaml counts them, to bound what aliases blow up. */
  decoded: number;
  aliased: number;
  readonly maxAliased: number;
  readonly open: Set<AliasNode>;
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

/** Builds a document's tree. Throws {@link YamlError} with go-yaml's texts, {@link LimitError} where more than `maxAliased` nodes come out of aliases. */
export function compose(root: YamlNode | undefined, make: ScalarMaker, maxAliased: number): YamlTree {
  if (root === undefined) return make({ tag: 'null', value: null });
  const walk: Walk = {
    make,
    decoded: 1,
    aliased: 0,
    maxAliased,
    open: new Set(),
    refusal: undefined,
    hasNonFinite: false,
  };
  const tree = composeNode(walk, root);
  if (walk.refusal !== undefined) throw new YamlError(walk.refusal);
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
  if (walk.aliased > walk.maxAliased)
    throw new LimitError(`YAML with more than ${walk.maxAliased} nodes out of aliases is over the limit`);
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
      return throughAlias(walk, node, () => composeNode(walk, node.target));
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

/** Reads a mapping into `map`; what is there already is replaced. */
function composeMapping(walk: Walk, { items }: MappingNode, map: Map<string, YamlTree>): void {
  for (let i = 0; i + 1 < items.length; i += 2) {
    const [key, value] = [items[i], items[i + 1]];
    if (key === undefined || value === undefined) continue;
    if (isMergeKey(key)) {
      merge(walk, value, map);
      continue;
    }
    const [name, refusal] = composeKey(walk, key);
    map.set(name, composeNode(walk, value));
    if (refusal !== undefined) walk.refusal ??= `${refusal}, value: ${goSyntax(value)}`;
  }
}

/** The text of a key, and what is wrong with it, where JSON cannot have it. */
function composeKey(walk: Walk, node: YamlNode): [key: string, refusal?: string] {
  const target = node.kind === 'alias' ? node.target : node;
  if (target.kind !== 'scalar') {
    composeNode(walk, node);
    throw new YamlError(`yaml: invalid map key: ${goSyntax(node)}`);
  }
  countNode(walk);
  if (target !== node) countNode(walk);
  return keyText(resolveScalar(target));
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

function throughAlias<R>(walk: Walk, alias: AliasNode, read: () => R): R {
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
  throughAlias(walk, value, () => {
    countNode(walk);
    composeMapping(walk, target, map);
  });
}
