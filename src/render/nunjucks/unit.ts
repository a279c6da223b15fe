import type { Node } from './node.ts';
import { failParse, type Place, type Source } from './place.ts';
import type { Evaluate, Execute } from './scope.ts';

/** A template that is being compiled. */
export interface Unit {
  readonly source: Source;
  readonly blocks: Map<string, Execute>;
  expression(node: Node): Evaluate;
  body(nodes: readonly Node[]): Execute;
}

/** Where a node begins. */
export function placeOf(unit: Unit, node: Node): Place {
  const { lineno, colno } = leftmost(node);
  return { source: unit.source, line: lineno, column: colno };
}

function leftmost(node: Node): Node {
  switch (node.typename) {
    case 'LookupVal':
      return leftmost(node.target);
    case 'FunCall':
      return leftmost(node.name);
    default:
      return node;
  }
}

/** The name that a node is; an error where it is none. */
export function nameOf(unit: Unit, node: Node, what: string): string {
  if (node.typename !== 'Symbol') return failParse(placeOf(unit, node), `${what} must be a name`);
  return node.value;
}

/** What is between the parentheses of a call: values, and values by name. */
export function splitArguments(
  unit: Unit,
  nodes: readonly Node[],
): { positional: Node[]; named: [name: string, value: Node][] } {
  const positional: Node[] = [];
  const named: [string, Node][] = [];
  for (const node of nodes) {
    if (node.typename !== 'KeywordArgs') {
      positional.push(node);
      continue;
    }
    for (const pair of node.children) {
      if (pair.typename === 'Pair') named.push([nameOf(unit, pair.key, 'a named argument'), pair.value]);
    }
  }
  return { positional, named };
}
