import { isJsonObject } from '../objects/fields.ts';
import type { Release } from './release.ts';

type Config = Readonly<Record<string, unknown>>;

/** The values of a release, and which of them are secret. */
export interface MarkedValues extends Pick<Release, 'config'> {
  readonly secret_values?: readonly string[] | undefined;
}

/** A value that is not shown. */
const masked = '***';

/** Number of paths that are kept, and the length of each. */
const maxPaths = 1000;
const maxPathLength = 1024;

/** Levels of maps below which paths are not told apart. */
const maxLevels = 64;

/** Number of texts, and of values that are looked at for them. */
const maxTexts = 2000;
const maxVisited = 200_000;

/**
 * Returns the paths of all values, as JSON pointers. A list is one value. If there are too many, or
 * they are too long, those of the maps that have them are returned, up to the root.
 */
export function valuePaths(values: Config): string[] {
  for (const levels of [maxLevels, 2, 1]) {
    const paths = pathsWithin(values, levels);
    if (paths !== undefined) return paths;
  }
  return [''];
}

function pathsWithin(values: Config, maxDepth: number): string[] | undefined {
  const paths: string[] = [];
  const open: { path: string; map: Config; depth: number }[] = [{ path: '', map: values, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, map, depth } = next;
    for (const [key, value] of Object.entries(map)) {
      const inner = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (inner.length > maxPathLength) return undefined;
      if (isJsonObject(value) && depth < maxDepth) open.push({ path: inner, map: value, depth: depth + 1 });
      else paths.push(inner);
      if (paths.length + open.length > maxPaths) return undefined;
    }
  }
  return paths;
}

/** Returns paths of values without those that are there twice, or undefined if there is none. */
export function joinedPaths(...all: ReadonlyArray<readonly string[] | undefined>): string[] | undefined {
  const joined = [...new Set(all.flatMap((paths) => paths ?? []))];
  if (joined.length > maxPaths) return [''];
  return joined.length === 0 ? undefined : joined;
}

/** Returns the texts and numbers of the secret values, of which there may be more than enough. */
export function secretTexts({ config = {}, secret_values: paths = [] }: MarkedValues): string[] {
  const texts = new Set<string>();
  const open: unknown[] = [];
  replaced(config, treeOf(paths), (value) => {
    open.push(value);
    return value;
  });
  let visited = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (++visited > maxVisited || texts.size >= maxTexts) break;
    if (typeof value === 'string' || typeof value === 'number') texts.add(String(value));
    else if (typeof value === 'object' && value !== null) {
      // a value that is undefined would end the loop, and JSON has none
      for (const inner of Object.values(value)) if (inner !== null && inner !== undefined) open.push(inner);
    }
  }
  return [...texts];
}

/** Returns values in which those at the paths are masked. */
export function maskedValues(values: Config, paths: readonly string[]): Record<string, unknown> {
  const shown = replaced(values, treeOf(paths), () => masked);
  return isJsonObject(shown) ? shown : Object.fromEntries(Object.keys(values).map((key) => [key, masked]));
}

/** Paths as a tree of their keys. A map without keys is the end of a path. */
type PathTree = Map<string, PathTree>;

function treeOf(paths: readonly string[]): PathTree | undefined {
  if (paths.length === 0) return undefined;
  const root: PathTree = new Map();
  const ends = new Set<PathTree>();
  for (const path of paths.slice(0, maxPaths)) {
    let tree = root;
    for (const key of path.split('/').slice(1, 2 * maxLevels)) {
      const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
      const inner = tree.get(name) ?? new Map<string, PathTree>();
      tree.set(name, inner);
      tree = inner;
    }
    ends.add(tree);
  }
  // a path covers all that are below it
  for (const end of ends) end.clear();
  return root;
}

/** Returns a value in which those at the ends of the paths are replaced. */
function replaced(value: unknown, tree: PathTree | undefined, replace: (value: unknown) => unknown): unknown {
  if (tree === undefined) return value;
  if (tree.size === 0) return replace(value);
  // another value has taken the place of the map
  if (!isJsonObject(value)) return replace(value);
  const copy = { ...value };
  for (const [key, inner] of tree) {
    if (!Object.hasOwn(value, key)) continue;
    const changed = replaced(value[key], inner, replace);
    Object.defineProperty(copy, key, { value: changed, writable: true, enumerable: true, configurable: true });
  }
  return copy;
}
