import type { Node } from './node.ts';
import { failParse, type Position, type TemplateText } from './position.ts';
import type { Evaluate, Execute } from './scope.ts';

/** A template that is being compiled. */
export interface CompileContext {
  readonly template: TemplateText;
  readonly blocks: Map<string, Execute>;
  expression(node: Node): Evaluate;
  body(nodes: readonly Node[]): Execute;
}

/** Where a node begins. */
export function positionOf(context: CompileContext, node: Node): Position {
  const { lineno, colno } = leftmost(node);
  return { template: context.template, line: lineno, column: colno };
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
export function nameOf(context: CompileContext, node: Node, what: string): string {
  if (node.typename !== 'Symbol') return failParse(positionOf(context, node), `${what} must be a name`);
  return node.value;
}

/** What is between the parentheses of a call: values, and values by name. */
export function splitArguments(
  context: CompileContext,
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
      if (pair.typename === 'Pair') named.push([nameOf(context, pair.key, 'a named argument'), pair.value]);
    }
  }
  return { positional, named };
}
