import { isTests, type IsTest } from '../is-tests.ts';
import type { IsNode, Node } from '../node.ts';
import { valueOf } from '../operand.ts';
import { failParse } from '../place.ts';
import type { Evaluate } from '../scope.ts';
import { nameOf, placeOf, splitArguments, type Unit } from '../unit.ts';

/** `x is test` and `x is test(argument)`. */
export function compileIs(unit: Unit, node: IsNode): Evaluate {
  const place = placeOf(unit, node);
  const { test, argument } = testOf(unit, node.right);
  const operand = unit.expression(node.left);
  if (argument === undefined) return (scope) => test.holds(operand(scope), null, place);
  const given = unit.expression(argument);
  return (scope) => test.holds(operand(scope), valueOf(given(scope), place), place);
}

function testOf(unit: Unit, node: Node): { test: IsTest; argument: Node | undefined } {
  const { positional, named } =
    node.typename === 'FunCall' ? splitArguments(unit, node.args.children) : { positional: [], named: [] };
  const name = testName(unit, node.typename === 'FunCall' ? node.name : node);
  const test = isTests.get(name);
  if (test === undefined) return failParse(placeOf(unit, node), `there is no test ${name}`);
  if (positional.length !== test.params || named.length > 0) {
    const wanted = test.params === 0 ? 'no arguments' : 'one argument';
    return failParse(placeOf(unit, node), `the test ${name} takes ${wanted}`);
  }
  return { test, argument: positional[0] };
}

/** `none` and `null` are read as literals. */
function testName(unit: Unit, node: Node): string {
  return node.typename === 'Literal' && node.value === null ? 'null' : nameOf(unit, node, 'a test');
}
