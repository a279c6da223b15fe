import { isTests, type IsTest } from '../is-tests.ts';
import type { IsNode, Node } from '../node.ts';
import { valueOf } from '../operand.ts';
import { failParse } from '../position.ts';
import type { Evaluate } from '../scope.ts';
import { nameOf, positionOf, splitArguments, type CompileContext } from '../compile-context.ts';

/** Compiles `x is test` and `x is test(argument)`. */
export function compileIs(context: CompileContext, node: IsNode): Evaluate {
  const position = positionOf(context, node);
  const { test, argument } = testOf(context, node.right);
  const operand = context.expression(node.left);
  if (argument === undefined) return (scope) => test.holds(operand(scope), null, position);
  const given = context.expression(argument);
  return (scope) => test.holds(operand(scope), valueOf(given(scope), position), position);
}

function testOf(context: CompileContext, node: Node): { test: IsTest; argument: Node | undefined } {
  const { positional, named } =
    node.typename === 'FunCall' ? splitArguments(context, node.args.children) : { positional: [], named: [] };
  const name = testName(context, node.typename === 'FunCall' ? node.name : node);
  const test = isTests.get(name);
  if (test === undefined) return failParse(positionOf(context, node), `there is no test ${name}`);
  if (positional.length !== test.params || named.length > 0) {
    const wanted = test.params === 0 ? 'no arguments' : 'one argument';
    return failParse(positionOf(context, node), `the test ${name} takes ${wanted}`);
  }
  return { test, argument: positional[0] };
}

/** The parser returns `none` and `null` as literals. */
function testName(context: CompileContext, node: Node): string {
  return node.typename === 'Literal' && node.value === null ? 'null' : nameOf(context, node, 'a test');
}
