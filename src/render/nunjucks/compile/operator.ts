import type { Value } from '../../../go/value.ts';
import { calculate, isNumber, negate } from '../arithmetic.ts';
import { contains, holds } from '../comparison.ts';
import { type CompileContext, positionOf } from '../compile-context.ts';
import type { ArithmeticNode, CompareNode, InlineIfNode, Node, OperatorNode, SignNode } from '../node.ts';
import { isTrue, kindText, textOf, valueOf } from '../operand.ts';
import { failAt, failParse } from '../position.ts';
import { checkLength } from '../run.ts';
import type { Evaluate, Scope } from '../scope.ts';

/** Compiles `+ - * / // % **`. `+` also joins two texts. */
export function compileArithmetic(context: CompileContext, node: ArithmeticNode): Evaluate {
  const position = positionOf(context, node);
  const operands = compileOperands(context, node);
  return (scope) => {
    const [left, right] = operands(scope);
    if (node.typename !== 'Add' || typeof left !== 'string' || typeof right !== 'string') {
      return calculate(node.typename, left, right, position);
    }
    checkLength(scope.page.run, left.length + right.length, position);
    return left + right;
  };
}

/** Compiles `a ~ b`, which joins the texts of both. */
export function compileConcat(context: CompileContext, node: OperatorNode): Evaluate {
  const position = positionOf(context, node);
  const operands = compileOperands(context, node);
  return (scope) => {
    const [left, right] = operands(scope);
    const text = [textOf(left, position), textOf(right, position)] as const;
    checkLength(scope.page.run, text[0].length + text[1].length, position);
    return text[0] + text[1];
  };
}

export function compileIn(context: CompileContext, node: OperatorNode): Evaluate {
  const position = positionOf(context, node);
  const operands = compileOperands(context, node);
  return (scope) => {
    const [item, container] = operands(scope);
    return contains(container, item, position);
  };
}

export function compileCompare(context: CompileContext, node: CompareNode): Evaluate {
  const [first, second] = node.ops;
  if (first === undefined || second !== undefined) {
    return failParse(positionOf(context, node), 'comparisons cannot be chained: join them with and');
  }
  const position = positionOf(context, node);
  const operands = compileOperands(context, { left: node.expr, right: first.expr });
  return (scope) => holds(first.type, ...operands(scope), position);
}

/** Compiles `a and b` and `a or b`, which return one of the operands. */
export function compileChoice(context: CompileContext, node: OperatorNode): Evaluate {
  const [left, right] = [context.expression(node.left), context.expression(node.right)];
  const isAnd = node.typename === 'And';
  return (scope) => {
    const operand = left(scope);
    return isTrue(operand) === isAnd ? right(scope) : operand;
  };
}

export function compileNot(context: CompileContext, node: SignNode): Evaluate {
  const target = context.expression(node.target);
  return (scope) => !isTrue(target(scope));
}

/** Compiles `-x` and `+x`. */
export function compileSign(context: CompileContext, node: SignNode): Evaluate {
  const position = positionOf(context, node.target);
  const target = context.expression(node.target);
  const negative = node.typename === 'Neg';
  return (scope) => {
    const value = valueOf(target(scope), position);
    if (!isNumber(value)) return failAt(position, `${negative ? '-' : '+'} needs a number, not ${kindText(value)}`);
    return negative ? negate(value) : value;
  };
}

/**
 * Compiles `a if condition else b`. Without `else` the result is an empty text if the condition is
 * false.
 */
export function compileInlineIf(context: CompileContext, node: InlineIfNode): Evaluate {
  const condition = context.expression(node.cond);
  const [body, otherwise] = [context.expression(node.body), node.else_ ? context.expression(node.else_) : () => ''];
  return (scope) => (isTrue(condition(scope)) ? body(scope) : otherwise(scope));
}

function compileOperands(
  context: CompileContext,
  { left, right }: { left: Node; right: Node },
): (scope: Scope) => [Value, Value] {
  const [first, second] = [context.expression(left), context.expression(right)];
  const [firstPosition, secondPosition] = [positionOf(context, left), positionOf(context, right)];
  return (scope) => [valueOf(first(scope), firstPosition), valueOf(second(scope), secondPosition)];
}
