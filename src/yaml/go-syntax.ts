import { formatFloat } from '../go/float.ts';
import { quote } from '../go/strconv.ts';
import type { MappingNode, YamlNode } from './node.ts';
import type { Resolved } from './resolve.ts';
import { isMergeKey, resolveScalar } from './scalar.ts';

/** Formats the value of a node as Go's `%#v` does. */
export function goSyntax(node: YamlNode): string {
  switch (node.kind) {
    case 'scalar':
      return scalarSyntax(resolveScalar(node));
    case 'alias':
      return goSyntax(node.target);
    case 'sequence':
      return `[]interface {}{${node.items.map(elementSyntax).join(', ')}}`;
    case 'mapping': {
      const entries = new Map<string, Entry>();
      collect(node, entries);
      const texts = Array.from(entries.values())
        .sort(compareEntries)
        .map(({ key, value }) => `${elementSyntax(key)}:${elementSyntax(value)}`);
      return `map[interface {}]interface {}{${texts.join(', ')}}`;
    }
  }
}

interface Entry {
  readonly key: YamlNode;
  readonly resolved: Resolved;
  readonly value: YamlNode;
}

/** Collects the entries of a mapping, including merged ones, replacing existing ones. */
function collect({ items }: MappingNode, entries: Map<string, Entry>): void {
  for (let i = 0; i + 1 < items.length; i += 2) {
    const [key, value] = [items[i], items[i + 1]];
    if (key === undefined || value === undefined) continue;
    if (isMergeKey(key)) {
      for (const merged of value.kind === 'sequence' ? value.items.toReversed() : [value]) {
        const target = merged.kind === 'alias' ? merged.target : merged;
        if (target.kind === 'mapping') collect(target, entries);
      }
      continue;
    }
    const scalar = key.kind === 'alias' ? key.target : key;
    if (scalar.kind !== 'scalar') continue;
    const resolved = resolveScalar(scalar);
    // NaN does not equal NaN
    const distinct = Number.isNaN(resolved.value) ? entries.size : '';
    entries.set(`${rankOf(resolved)} ${String(resolved.value)}${distinct}`, { key, resolved, value });
  }
}

/** Returns the rank of a key's type in Go's order, which depends on the addresses of the types. */
function rankOf(resolved: Resolved): number {
  switch (resolved.tag) {
    case 'null':
      return 0;
    case 'str':
    case 'timestamp':
      return 1;
    case 'int':
      return resolved.value < 1n << 63n ? 3 : 2;
    case 'float':
      return 4;
    case 'bool':
      return 5;
  }
}

function compareEntries({ resolved: a }: Entry, { resolved: b }: Entry): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (Number.isNaN(a.value) || Number.isNaN(b.value))
    return Number(Number.isNaN(b.value)) - Number(Number.isNaN(a.value));
  // both have the same type
  return a.value === b.value ? 0 : (a.value ?? '') < (b.value ?? '') ? -1 : 1;
}

function elementSyntax(node: YamlNode): string {
  const text = goSyntax(node);
  return text === '<nil>' ? 'interface {}(nil)' : text;
}

function scalarSyntax(resolved: Resolved): string {
  switch (resolved.tag) {
    case 'null':
      return '<nil>';
    case 'int':
      return resolved.value < 1n << 63n ? String(resolved.value) : `0x${resolved.value.toString(16)}`;
    case 'float':
      return formatFloat(resolved.value, 'g', -1);
    case 'bool':
      return String(resolved.value);
    case 'str':
    case 'timestamp':
      return quote(resolved.value);
  }
}
