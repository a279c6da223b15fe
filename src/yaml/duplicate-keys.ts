import { goSyntax } from './go-syntax.ts';
import type { AliasNode, MappingNode, YamlNode } from './node.ts';
import { parseFirstDocument } from './parse.ts';
import { isMergeKey } from './scalar.ts';

/**
 * Returns the error of a strict `sigs.k8s.io/yaml` for duplicate keys in the mappings of a
 * document; empty if there are none. The document must be readable: aliases are followed without
 * limit. Throws {@link YamlError}.
 */
export function duplicateKeyProblem(text: string): string {
  const root = parseFirstDocument(text);
  const lines: string[] = [];
  if (root !== undefined) collect(root, lines, new Set());
  return lines.length === 0 ? '' : `error converting YAML to JSON: yaml: unmarshal errors:\n${lines.join('\n')}`;
}

/** Collects errors in Go's order: those of a value come before those of its key. */
function collect(node: YamlNode, lines: string[], open: Set<AliasNode>): void {
  switch (node.kind) {
    case 'scalar':
      return;
    case 'alias':
      if (open.has(node)) return;
      open.add(node);
      collect(node.target, lines, open);
      open.delete(node);
      return;
    case 'sequence':
      for (const item of node.items) collect(item, lines, open);
      return;
    case 'mapping':
      collectKeys(node.items, lines, open, new Set());
  }
}

/** `seen` contains the keys of the mapping so far, including merged ones. */
function collectKeys(items: readonly YamlNode[], lines: string[], open: Set<AliasNode>, seen: Set<string>): void {
  for (let i = 0; i + 1 < items.length; i += 2) {
    const [key, value] = [items[i], items[i + 1]];
    if (key === undefined || value === undefined) continue;
    if (isMergeKey(key)) {
      for (const merged of mergedMappings(value)) collectKeys(merged.items, lines, open, seen);
      continue;
    }
    collect(value, lines, open);
    const name = goSyntax(key);
    if (seen.has(name)) lines.push(`  line ${value.line + 1}: key ${name} already set in map`);
    seen.add(name);
  }
}

function mergedMappings(value: YamlNode): MappingNode[] {
  const nodes = value.kind === 'sequence' ? value.items.toReversed() : [value];
  return nodes.map((node) => (node.kind === 'alias' ? node.target : node)).filter((node) => node.kind === 'mapping');
}
