import type { Value } from '../../../go/value.ts';
import type { Node } from '../node.ts';
import { valueOf } from '../operand.ts';
import { failParse } from '../position.ts';
import type { Evaluate } from '../scope.ts';
import { positionOf, type CompileContext } from '../compile-context.ts';

/** Compiles an expression in parentheses. */
export function compileGroup(context: CompileContext, node: Node, children: readonly Node[]): Evaluate {
  const [inner] = children;
  if (inner === undefined || children.length > 1) {
    return failParse(positionOf(context, node), 'parentheses must contain one expression; write a list in brackets');
  }
  return context.expression(inner);
}

/** `[a, b]`. */
export function compileList(context: CompileContext, children: readonly Node[]): Evaluate {
  const elements = children.map((child) => ({
    evaluate: context.expression(child),
    position: positionOf(context, child),
  }));
  return (scope) => elements.map(({ evaluate, position }) => valueOf(evaluate(scope), position));
}

/** Compiles `{key: value, "other key": value}`. */
export function compileMap(context: CompileContext, children: readonly Node[]): Evaluate {
  const entries = children.map((pair) => {
    if (pair.typename !== 'Pair') return failParse(positionOf(context, pair), 'a map needs keys and values');
    return {
      key: keyOf(context, pair.key),
      evaluate: context.expression(pair.value),
      position: positionOf(context, pair.value),
    };
  });
  return (scope) =>
    new Map<string, Value>(entries.map(({ key, evaluate, position }) => [key, valueOf(evaluate(scope), position)]));
}

function keyOf(context: CompileContext, node: Node): string {
  if (node.typename === 'Symbol') return node.value;
  if (node.typename === 'Literal' && typeof node.value === 'string') return node.value;
  return failParse(positionOf(context, node), 'the key of a map must be a name or a text');
}
