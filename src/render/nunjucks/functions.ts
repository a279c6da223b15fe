import { checkElements, type FunctionLimits } from '../../functions/limits.ts';
import { GoError, type GoFunction, type Int, int, type Value } from '../../go/value.ts';
import { type Builtin, builtins } from '../../template/execute/builtins.ts';
import type { EngineRun } from '../engine.ts';
import { RenderError } from '../render-error.ts';
import { lookupHost, lookupId, lookupValue } from '../scope/lookup-table.ts';
import { areEqual, compare } from './comparison.ts';
import { compileTemplate } from './compile/template.ts';
import { goCallable } from './go-callable.ts';
import { failMissing, newState, runTemplate } from './load-template.ts';
import { type Call, Callable, kindText, type Operand, Undefined, valueOf } from './operand.ts';
import { failAt, type Position } from './position.ts';
import { type CompiledTemplate, frameIn, type Page } from './scope.ts';

/** Returns the functions that need the state of a render, such as `lookup`. */
export function renderFunctions(run: EngineRun): Map<string, Callable> {
  return new Map([
    ['required', new Callable('required', (call) => required(call, run))],
    ['fail', new Callable('fail', (call) => fail(call, run))],
    ['lookup', goCallable('lookup', lookup(run))],
    ['getHostByName', goCallable('getHostByName', hostLookup(run))],
  ]);
}

/** Implements `required(message, value)`. Fails if the value is missing, null or an empty text. */
function required({ args, position }: Call, { lint = false, notice }: EngineRun): Value {
  const [message, operand] = args;
  if (message === undefined || operand === undefined) return failAt(position, 'required takes a message and a value');
  const value = operand instanceof Undefined ? null : valueOf(operand, position);
  if (value !== null && value !== '') return value;
  const text = messageOf(valueOf(message, position));
  if (!lint) return failAt(position, text);
  const what = value === null ? 'missing required value' : 'missing required values';
  notice?.({ level: 'WARN', message: what, attributes: { message: text } });
  return '';
}

function fail({ args, position }: Call, { lint = false, notice }: EngineRun): Value {
  const [message = ''] = args;
  const text = messageOf(valueOf(message, position));
  if (!lint) return failAt(position, text);
  notice?.({ level: 'INFO', message: 'funcMap fail', attributes: { message: text } });
  return '';
}

function messageOf(value: Value): string {
  return typeof value === 'string' ? value : 'the message of a failure must be a text';
}

/**
 * Implements `lookup(apiVersion, kind, namespace, name)`. Returns an empty map if there is no
 * object or no cluster.
 */
function lookup({ lookups, lint = false }: EngineRun): GoFunction {
  return {
    params: ['string', 'string', 'string', 'string'],
    call: (apiVersion: string, kind: string, namespace: string, name: string): Value => {
      const key = { apiVersion, kind, namespace, name };
      if (lookups === undefined || lint) return new Map<string, Value>();
      const answer = lookups.results.get(lookupId(key));
      if (answer !== undefined) return lookupValue(answer);
      lookups.missing.push(key);
      return new Map<string, Value>();
    },
  };
}

function hostLookup({ lookups, lint = false }: EngineRun): GoFunction {
  return { params: ['string'], call: (name: string) => lookupHost(lint ? undefined : lookups, name) };
}

/**
 * Returns the functions that run templates: `include(name)` and `tpl(text)`. These templates see
 * the chart's globals, not the variables of the caller.
 */
export function pageFunctions(page: () => Page): Map<string, Callable> {
  return new Map([
    ['include', new Callable('include', (call) => include(call, page()))],
    ['tpl', new Callable('tpl', (call) => tpl(call, page()))],
  ]);
}

function include(call: Call, page: Page): string {
  const name = onlyText('include', call);
  return run(page.load(name, call.position) ?? failMissing(name, call.position), page, call.position);
}

function tpl(call: Call, page: Page): string {
  const text = onlyText('tpl', call);
  try {
    return run(compileTemplate('tpl', text), page, call.position);
  } catch (error) {
    if (!(error instanceof RenderError) || error.position?.file !== 'tpl') throw error;
    return failAt(call.position, `error calling tpl: ${error.message}`, error, error.code);
  }
}

function run(template: CompiledTemplate, page: Page, position: Position): string {
  return runTemplate(
    template,
    { page, state: newState(template), frame: frameIn(undefined, { topLevel: true }) },
    position,
  );
}

function onlyText(name: string, { args, named, position }: Call): string {
  const [text] = args;
  if (text === undefined || args.length > 1 || named.size > 0) return failAt(position, `${name} takes one argument`);
  const value = valueOf(text, position);
  return typeof value === 'string' ? value : failAt(position, `${name} takes a text, not ${kindText(value)}`);
}

type Comparison = (left: Value, right: Value, position: Position) => boolean;

/** Go's built-in functions, except those that are operators in Nunjucks. */
const fromGo = ['html', 'index', 'js', 'len', 'print', 'printf', 'println', 'slice', 'urlquery'] as const;

/** Go's comparisons, with Nunjucks's numbers: an int and a float64 of the same size are equal. */
const comparisons = new Map<string, Comparison>([
  ['eq', areEqual],
  ['ne', (left, right) => !areEqual(left, right)],
  ['lt', (left, right, position) => compare(left, right, position) < 0],
  ['le', (left, right, position) => compare(left, right, position) <= 0],
  ['gt', (left, right, position) => compare(left, right, position) > 0],
  ['ge', (left, right, position) => compare(left, right, position) >= 0],
]);

/** Returns the functions of the language: Go's, `range`, and `length` as another name of `len`. */
export function languageFunctions(limits: FunctionLimits): Map<string, Callable> {
  const functions = new Map<string, Callable>();
  for (const name of fromGo) {
    const builtin = builtins.get(name);
    if (builtin !== undefined) functions.set(name, goCallable(name, asFunction(builtin)));
  }
  const length = functions.get('len');
  if (length !== undefined) functions.set('length', new Callable('length', length.call));
  for (const [name, holds] of comparisons) functions.set(name, comparison(name, holds));
  functions.set(
    'range',
    goCallable('range', { params: ['int'], variadic: true, call: (...bounds: Int[]) => rangeOf(bounds, limits) }),
  );
  return functions;
}

/**
 * Converts a built-in function of Go. It has no result if a map lacks a key; the converted function
 * then returns nil.
 */
function asFunction({ params, variadic, call }: Builtin): GoFunction {
  // arguments have been converted according to `params`
  return { params, variadic, call: (...args: never[]) => call(...args) ?? null };
}

function comparison(name: string, holds: Comparison): Callable {
  return new Callable(name, ({ args, position }: Call): Operand => {
    const [left, right] = args;
    if (left === undefined || right === undefined || args.length > 2)
      return failAt(position, `${name} takes two arguments`);
    return holds(valueOf(left, position), valueOf(right, position), position);
  });
}

/**
 * Implements `range(stop)`, `range(start, stop)` and `range(start, stop, step)`, without `stop`.
 */
function rangeOf(bounds: readonly Int[], limits: FunctionLimits): Value {
  const [first = 0n, second, third = 1n] = bounds.map(({ value }) => value);
  if (bounds.length === 0 || bounds.length > 3) throw new GoError('it takes one to three numbers');
  if (third === 0n) throw new GoError('the step must not be 0');
  const [start, stop] = second === undefined ? [0n, first] : [first, second];
  const count = (stop - start + third - (third > 0n ? 1n : -1n)) / third;
  if (count <= 0n) return [];
  checkElements(Number(count), limits);
  return Array.from({ length: Number(count) }, (_, i) => int(start + BigInt(i) * third));
}
