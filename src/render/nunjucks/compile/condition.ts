import { areEqual } from '../comparison.ts';
import type { IfNode, SwitchNode } from '../node.ts';
import { valueOf } from '../operand.ts';
import type { Execute } from '../scope.ts';
import { isTrue } from '../truthiness.ts';
import { placeOf, type Unit } from '../unit.ts';

/** `if`, `elif`, `else`. */
export function compileIf(unit: Unit, node: IfNode): Execute {
  const condition = unit.expression(node.cond);
  const body = unit.body([node.body]);
  const otherwise = unit.body(node.else_ ? [node.else_] : []);
  return (scope) => (isTrue(condition(scope)) ? body(scope) : otherwise(scope));
}

/** `switch`: the first case that is equal; a case without any body goes on into the next. */
export function compileSwitch(unit: Unit, node: SwitchNode): Execute {
  const place = placeOf(unit, node.expr);
  const subject = unit.expression(node.expr);
  const cases = node.cases.map(({ cond, body }) => ({
    condition: unit.expression(cond),
    at: placeOf(unit, cond),
    body: body.children.length > 0 ? unit.body(body.children) : undefined,
  }));
  const otherwise = unit.body(node.default?.children ?? []);
  return (scope) => {
    const value = valueOf(subject(scope), place);
    const first = cases.findIndex(({ condition, at }) => areEqual(value, valueOf(condition(scope), at)));
    const chosen = first < 0 ? undefined : cases.slice(first).find(({ body }) => body !== undefined);
    (chosen?.body ?? otherwise)(scope);
  };
}
