import { celEnv, type CelInput, isCelError, parse, plan } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { parseJsonText } from '../../objects/json-text.ts';
import {
  type CompiledCondition,
  type ConditionOutcome,
  type ConditionValues,
  conditionVariables,
} from './condition.ts';

type Expr = ReturnType<typeof parse>['expr'];

interface Program {
  compiled: CompiledCondition;
  /** Undefined for an expression that cannot be evaluated. */
  evaluate?: (bindings: Record<string, CelInput>) => ConditionOutcome;
}

/** Compiles and evaluates expressions in CEL in this thread. Keeps what it has compiled. */
export function createCelEvaluator() {
  const programs = new Map<string, Program>();
  const programOf = (expression: string): Program => {
    let program = programs.get(expression);
    if (program === undefined) {
      if (programs.size >= maxPrograms) programs.clear();
      program = compile(expression);
      programs.set(expression, program);
    }
    return program;
  };
  const evaluateAll = (expressions: readonly string[], bindings: Record<string, CelInput>) =>
    expressions.map((text): ConditionOutcome => {
      const { compiled, evaluate } = programOf(text);
      return evaluate?.(bindings) ?? { holds: false, problem: compiled.problem ?? '' };
    });
  return {
    compile: (expressions: readonly string[]) => expressions.map((text) => programOf(text).compiled),
    evaluate(expressions: readonly string[], values: ConditionValues): ConditionOutcome[] {
      return evaluateAll(expressions, bindingsOf(values));
    },
    evaluateObjects(
      expressions: readonly string[],
      values: ConditionValues,
      objects: readonly string[],
    ): ConditionOutcome[][] {
      const bindings = bindingsOf(values);
      return objects.map((text) => evaluateAll(expressions, { ...bindings, object: celValue(parseJsonText(text)) }));
    },
  };
}

/** More than the rules of a policy have, so that only earlier policies are forgotten. */
const maxPrograms = 2000;

function compile(expression: string): Program {
  try {
    const parsed = parse(expression);
    const read = identifiersOf(parsed.expr);
    const unknown = read.find(({ name }) => !isVariable(name) && !typeNames.has(name));
    const positions = parsed.sourceInfo?.positions ?? {};
    const placeOf = (id: bigint | undefined) => (id === undefined ? '' : place(expression, positions[String(id)]));
    if (unknown !== undefined) {
      const known = conditionVariables.join(', ');
      return { compiled: { problem: `${placeOf(unknown.id)}${unknown.name} is not a variable; there are ${known}` } };
    }
    const run = plan(celEnv({ funcs: [...strings] }), parsed);
    return {
      compiled: {
        variables: conditionVariables.filter((name) => read.some((one) => one.name === name)),
        reads: read.filter(({ name }) => isVariable(name)).map(({ name, fields }) => [name, ...fields]),
      },
      evaluate(bindings) {
        const value = run(bindings);
        if (value === true) return { holds: true };
        if (value === false) return { holds: false };
        if (!isCelError(value)) return { holds: false, problem: 'the value is neither true nor false' };
        return { holds: false, problem: `${placeOf(value.exprId)}${withoutValues(value.message, expression)}` };
      },
    };
  } catch (error) {
    if (error instanceof RangeError) return { compiled: { problem: 'it is nested too deeply' } };
    const message = error instanceof Error ? error.message : String(error);
    return { compiled: { problem: message.replace(/^<input>:/, '') } };
  }
}

/** Names of types, and of the package of well-known types. */
const typeNames: ReadonlySet<string> = new Set([
  ...['bool', 'bytes', 'double', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint', 'google'],
]);

function isVariable(name: string): boolean {
  return conditionVariables.some((known) => known === name);
}

interface Identifier {
  name: string;
  id: bigint;
  /** Names of the fields that are selected from it, one of the other. */
  fields: readonly string[];
}

/** Returns the identifiers that an expression reads, except the variables of its own macros. */
function identifiersOf(root: Expr): Identifier[] {
  const found: Identifier[] = [];
  const rest: { expr: Expr | undefined; own: ReadonlySet<string> }[] = [{ expr: root, own: new Set() }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { expr, own } = next;
    const { case: kind, value } = expr?.exprKind ?? { case: undefined };
    const read = (...parts: (Expr | undefined)[]) => rest.push(...parts.map((part) => ({ expr: part, own })));
    if (expr === undefined || kind === undefined) continue;
    if (kind === 'identExpr' || kind === 'selectExpr') {
      const { root: selected, fields } = selectionOf(expr);
      const { case: rootKind, value: identifier } = selected?.exprKind ?? { case: undefined };
      if (rootKind !== 'identExpr') read(selected);
      else if (selected && !own.has(identifier.name)) found.push({ name: identifier.name, id: selected.id, fields });
    } else if (kind === 'callExpr') read(value.target, ...value.args);
    else if (kind === 'listExpr') read(...value.elements);
    else if (kind === 'structExpr') {
      for (const entry of value.entries) {
        read(entry.value, entry.keyKind.case === 'mapKey' ? entry.keyKind.value : undefined);
      }
    } else if (kind === 'comprehensionExpr') {
      read(value.iterRange, value.accuInit);
      const inner = new Set([...own, value.iterVar, value.iterVar2, value.accuVar]);
      for (const part of [value.loopCondition, value.loopStep, value.result]) rest.push({ expr: part, own: inner });
    }
  }
  return found;
}

/** Returns the expression from which fields are selected, and their names. */
function selectionOf(expr: Expr): { root: Expr | undefined; fields: readonly string[] } {
  const fields: string[] = [];
  let root: Expr | undefined = expr;
  while (root?.exprKind.case === 'selectExpr') {
    fields.unshift(root.exprKind.value.field);
    root = root.exprKind.value.operand;
  }
  return { root, fields };
}

/** Returns the place of an offset in a text, as `2:5: `. */
function place(text: string, offset: number | undefined): string {
  if (offset === undefined) return '';
  const before = text.slice(0, offset).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}: `;
}

/** Messages of evaluations that have types, and no values. */
const plainMessage = /^(?:found no matching overload|unresolved attribute|divi(?:sion|de) by zero)/;

/** Returns a message unless it may have a value. The name of a field may be one. */
function withoutValues(message: string, expression: string): string {
  const [, field] = /^field not found: (.*)$/s.exec(message) ?? [];
  const isPlain = field === undefined ? plainMessage.test(message) : expression.includes(field);
  return isPlain ? message : 'it cannot be evaluated';
}

function bindingsOf({ now, ...values }: ConditionValues): Record<string, CelInput> {
  const entries = Object.entries(values).map(([name, value]) => [name, celValue(value)] as const);
  return { ...Object.fromEntries<CelInput>(entries), now: timestampFromMs(now) };
}

/** Returns JSON as values of CEL: whole numbers are of the type `int`. */
function celValue(value: unknown): CelInput {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return null;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return new Map(fields.map(([name, field]) => [name, celValue(field)]));
}
