import type { Value } from '../../../go/value.ts';
import { calculate, isNumber, negate } from '../arithmetic.ts';
import { contains, holds } from '../comparison.ts';
import type { ArithmeticNode, CompareNode, InlineIfNode, Node, OperatorNode, SignNode } from '../node.ts';
import { kindText, valueOf } from '../operand.ts';
import { textOf } from '../output-text.ts';
import { failAt, failParse } from '../place.ts';
import { checkLength } from '../run.ts';
import type { Evaluate, Scope } from '../scope.ts';
import { isTrue } from '../truthiness.ts';
import { placeOf, type Unit } from '../unit.ts';

/** `+ - * / // % **`; `+` joins two texts as well. */
export function compileArithmetic(unit: Unit, node: ArithmeticNode): Evaluate {
  const place = placeOf(unit, node);
  const operands = compileOperands(unit, node);
  return (scope) => {
    const [left, right] = operands(scope);
    if (node.typename !== 'Add' || typeof left !== 'string' || typeof right !== 'string') {
      return calculate(node.typename, left, right, place);
    }
    checkLength(scope.page.run, left.length + right.length, place);
    return left + right;
  };
}

/** `a ~ b`: the texts of both, one after the other. */
export function compileConcat(unit: Unit, node: OperatorNode): Evaluate {
  const place = placeOf(unit, node);
  const operands = compileOperands(unit, node);
  return (scope) => {
    const [left, right] = operands(scope);
    const text = [textOf(left, place), textOf(right, place)] as const;
    checkLength(scope.page.run, text[0].length + text[1].length, place);
    return text[0] + text[1];
  };
}

export function compileIn(unit: Unit, node: OperatorNode): Evaluate {
  const place = placeOf(unit, node);
  const operands = compileOperands(unit, node);
  return (scope) => {
    const [item, container] = operands(scope);
    return contains(container, item, place);
  };
}

export function compileCompare(unit: Unit, node: CompareNode): Evaluate {
  const [first, second] = node.ops;
  if (first === undefined || second !== undefined) {
    return failParse(placeOf(unit, node), 'comparisons cannot be chained: join them with and');
  }
  const place = placeOf(unit, node);
  const operands = compileOperands(unit, { left: node.expr, right: first.expr });
  return (scope) => holds(first.type, ...operands(scope), place);
}

/** `a and b`, `a or b`: one of the two, as it is. */
export function compileChoice(unit: Unit, node: OperatorNode): Evaluate {
  const [left, right] = [unit.expression(node.left), unit.expression(node.right)];
  const goesOn = node.typename === 'And';
  return (scope) => {
    const operand = left(scope);
    return isTrue(operand) === goesOn ? right(scope) : operand;
  };
}

export function compileNot(unit: Unit, node: SignNode): Evaluate {
  const target = unit.expression(node.target);
  return (scope) => !isTrue(target(scope));
}

/** `-x` and `+x`. */
export function compileSign(unit: Unit, node: SignNode): Evaluate {
  const place = placeOf(unit, node.target);
  const target = unit.expression(node.target);
  const negative = node.typename === 'Neg';
  return (scope) => {
    const value = valueOf(target(scope), place);
    if (!isNumber(value)) return failAt(place, `${negative ? '-' : '+'} needs a number, not ${kindText(value)}`);
    return negative ? negate(value) : value;
  };
}

/** `a if condition else b`; without `else` an empty text. */
export function compileInlineIf(unit: Unit, node: InlineIfNode): Evaluate {
  const condition = unit.expression(node.cond);
  const [body, otherwise] = [unit.expression(node.body), node.else_ ? unit.expression(node.else_) : () => ''];
  return (scope) => (isTrue(condition(scope)) ? body(scope) : otherwise(scope));
}

function compileOperands(unit: Unit, { left, right }: { left: Node; right: Node }): (scope: Scope) => [Value, Value] {
  const [first, second] = [unit.expression(left), unit.expression(right)];
  const [firstPlace, secondPlace] = [placeOf(unit, left), placeOf(unit, right)];
  return (scope) => [valueOf(first(scope), firstPlace), valueOf(second(scope), secondPlace)];
}
