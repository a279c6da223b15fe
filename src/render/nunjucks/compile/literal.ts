import { int, type Value } from '../../../go/value.ts';
import type { LiteralNode } from '../node.ts';
import { failParse } from '../position.ts';
import type { Evaluate } from '../scope.ts';
import { positionOf, type CompileContext } from '../compile-context.ts';

/** Compiles a literal. A number without a point is an int, one with a point a float64. */
export function compileLiteral(context: CompileContext, node: LiteralNode): Evaluate {
  const value = literalValue(context, node);
  return () => value;
}

function literalValue(context: CompileContext, node: LiteralNode): Value {
  if (node.value instanceof RegExp) {
    return failParse(
      positionOf(context, node),
      'there are no regular expression literals: use regexMatch and similar functions',
    );
  }
  return typeof node.value === 'number' ? numberValue(context, node, node.value) : node.value;
}

/** Parses a number again, because the parser loses its type and the last digits of a large one. */
function numberValue(context: CompileContext, node: LiteralNode, parsed: number): Value {
  const text = (context.template.lines[node.lineno] ?? '').slice(node.colno);
  const [, digits, point] = /^([0-9]+)(\.?)/.exec(text) ?? [];
  if (digits === undefined || point === '.') return parsed;
  const significant = digits.replace(/^0+/, '');
  // more digits are not even converted: it takes more than linear time
  const number = significant.length > 19 ? 1n << 63n : BigInt(significant || 0);
  if (number >= 1n << 63n) return failParse(positionOf(context, node), `${digits} does not fit into 64 bits`);
  return int(number);
}
