import { areEqual } from '../comparison.ts';
import type { IfNode, SwitchNode } from '../node.ts';
import { valueOf } from '../operand.ts';
import type { Execute } from '../scope.ts';
import { isTrue } from '../truthiness.ts';
import { positionOf, type CompileContext } from '../compile-context.ts';

/** Compiles `if`, `elif` and `else`. */
export function compileIf(context: CompileContext, node: IfNode): Execute {
  const condition = context.expression(node.cond);
  const body = context.body([node.body]);
  const otherwise = context.body(node.else_ ? [node.else_] : []);
  return (scope) => (isTrue(condition(scope)) ? body(scope) : otherwise(scope));
}

/** Compiles `switch`: the first equal case. A case without a body falls through to the next. */
export function compileSwitch(context: CompileContext, node: SwitchNode): Execute {
  const position = positionOf(context, node.expr);
  const subject = context.expression(node.expr);
  const cases = node.cases.map(({ cond, body }) => ({
    condition: context.expression(cond),
    at: positionOf(context, cond),
    body: body.children.length > 0 ? context.body(body.children) : undefined,
  }));
  const otherwise = context.body(node.default?.children ?? []);
  return (scope) => {
    const value = valueOf(subject(scope), position);
    const first = cases.findIndex(({ condition, at }) => areEqual(value, valueOf(condition(scope), at)));
    const chosen = first < 0 ? undefined : cases.slice(first).find(({ body }) => body !== undefined);
    (chosen?.body ?? otherwise)(scope);
  };
}
