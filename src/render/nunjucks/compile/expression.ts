import { int, type Value } from '../../../go/value.ts';
import { type CompileContext, nameOf, positionOf, splitArguments } from '../compile-context.ts';
import { expressionText } from '../expression-text.ts';
import { type IsTest, isTests } from '../is-tests.ts';
import { memberOf } from '../member.ts';
import type { CaptureNode, IsNode, LiteralNode, LookupNode, Node, SymbolNode } from '../node.ts';
import { Undefined, valueOf } from '../operand.ts';
import { failParse } from '../position.ts';
import { type Evaluate, lookUp } from '../scope.ts';
import { compileCall, compileFilter } from './call.ts';
import { compileCaller } from './macro.ts';
import {
  compileArithmetic,
  compileChoice,
  compileCompare,
  compileConcat,
  compileIn,
  compileInlineIf,
  compileNot,
  compileSign,
} from './operator.ts';

/** Compiles an expression. */
export function compileExpression(context: CompileContext, node: Node): Evaluate {
  switch (node.typename) {
    case 'Literal':
      return compileLiteral(context, node);
    case 'Symbol':
      return compileSymbol(node);
    case 'LookupVal':
      return compileLookup(context, node);
    case 'FunCall':
      return compileCall(context, node);
    case 'Filter':
      return compileFilter(context, node);
    case 'Caller':
      return compileCaller(context, node);
    case 'Capture':
      return compileCapture(context, node);
    case 'Group':
      return compileGroup(context, node, node.children);
    case 'Array':
      return compileList(context, node.children);
    case 'Dict':
      return compileMap(context, node.children);
    default:
      return compileOperation(context, node);
  }
}

function compileOperation(context: CompileContext, node: Node): Evaluate {
  switch (node.typename) {
    case 'Is':
      return compileIs(context, node);
    case 'Compare':
      return compileCompare(context, node);
    case 'InlineIf':
      return compileInlineIf(context, node);
    case 'And':
    case 'Or':
      return compileChoice(context, node);
    case 'Not':
      return compileNot(context, node);
    case 'In':
      return compileIn(context, node);
    case 'Concat':
      return compileConcat(context, node);
    case 'Neg':
    case 'Pos':
      return compileSign(context, node);
    case 'Add':
    case 'Sub':
    case 'Mul':
    case 'Div':
    case 'FloorDiv':
    case 'Mod':
    case 'Pow':
      return compileArithmetic(context, node);
    default:
      return failParse(positionOf(context, node), `${node.typename} is not an expression`);
  }
}

/** Compiles the contents of a block such as `filter` to a text. */
function compileCapture(context: CompileContext, node: CaptureNode): Evaluate {
  const body = context.body(node.body.children);
  return (scope) => {
    const output = { text: '' };
    body({ ...scope, output });
    return output.text;
  };
}

/** Compiles `x is test` and `x is test(argument)`. */
function compileIs(context: CompileContext, node: IsNode): Evaluate {
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

/** Compiles a literal. A number without a point is an int, one with a point a float64. */
function compileLiteral(context: CompileContext, node: LiteralNode): Evaluate {
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

/** Compiles a name: a variable, otherwise a global of the chart, otherwise a function. */
function compileSymbol({ value: name }: SymbolNode): Evaluate {
  const absent = new Undefined(name);
  return ({ frame, state, page }) =>
    lookUp(frame, name) ?? state.variables.get(name) ?? page.globals.get(name) ?? page.functions.get(name) ?? absent;
}

/** Compiles `target.name` and `target[key]`. */
function compileLookup(context: CompileContext, node: LookupNode): Evaluate {
  const position = positionOf(context, node);
  if (node.val === null) return failParse(position, 'there is no key between the brackets');
  const target = context.expression(node.target);
  const key = context.expression(node.val);
  const site = { expression: expressionText(node), target: expressionText(node.target), position };
  return (scope) => memberOf(target(scope), key(scope), site);
}

/** Compiles an expression in parentheses. */
function compileGroup(context: CompileContext, node: Node, children: readonly Node[]): Evaluate {
  const [inner] = children;
  if (inner === undefined || children.length > 1) {
    return failParse(positionOf(context, node), 'parentheses must contain one expression; write a list in brackets');
  }
  return context.expression(inner);
}

/** `[a, b]`. */
function compileList(context: CompileContext, children: readonly Node[]): Evaluate {
  const elements = children.map((child) => ({
    evaluate: context.expression(child),
    position: positionOf(context, child),
  }));
  return (scope) => elements.map(({ evaluate, position }) => valueOf(evaluate(scope), position));
}

/** Compiles `{key: value, "other key": value}`. */
function compileMap(context: CompileContext, children: readonly Node[]): Evaluate {
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
