import type { Node } from './node.ts';
import { failParse, type Position, type TemplateText } from './position.ts';
import type { Evaluate, Execute } from './scope.ts';

/** State of the compilation of one template. */
export interface CompileContext {
  readonly template: TemplateText;
  readonly blocks: Map<string, Execute>;
  expression(node: Node): Evaluate;
  body(nodes: readonly Node[]): Execute;
}

/** Returns the position at which a node begins. */
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

/** Returns the name that a node consists of. Throws RenderError if it is not a name. */
export function nameOf(context: CompileContext, node: Node, what: string): string {
  if (node.typename !== 'Symbol') return failParse(positionOf(context, node), `${what} must be a name`);
  return node.value;
}

/** Splits the arguments of a call into positional and named ones. */
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
