import { codeOf } from '../../errors/index.ts';
import { commands } from '../../protocol/commands/index.ts';
import type { ChartReference } from '../chart-reference.ts';
import { refused } from '../policy-error.ts';
import type { PolicyRule, PolicyRules } from '../policy-rules.ts';
import type { DecisionTime, PlannedCommand, PolicyScope } from '../policy-scope.ts';
import type { ConditionEvaluator, ConditionOutcome, ConditionValues, ConditionVariable } from './condition.ts';

/** The variables that each expression of a policy reads. */
type VariablesByExpression = ReadonlyMap<string, readonly ConditionVariable[]>;

type Condition = NonNullable<PolicyRule['conditions']>[number];

/** When conditions are evaluated: by the last of the things that they read. */
type ConditionStage = 'command' | 'chart' | 'object';

/**
 * Compiles the conditions of a policy. Throws an Error that says which rule has a wrong one, and
 * where.
 */
export async function compileConditions(
  { rules }: PolicyRules,
  evaluator: ConditionEvaluator,
): Promise<VariablesByExpression> {
  const places = rules.flatMap(({ conditions = [], name }, rule) =>
    conditions.map(({ expression }, index) => ({
      expression,
      place: `rules[${rule}].conditions[${index}].expression of the rule ${name}`,
    })),
  );
  if (places.length === 0) return new Map();
  const compiled = await evaluator.compile(places.map(({ expression }) => expression));
  return new Map(
    places.map(({ expression, place }, index) => {
      const { variables, problem } = compiled[index] ?? { problem: 'it was not compiled' };
      if (variables === undefined) throw new Error(`${place}: ${problem}`);
      return [expression, variables];
    }),
  );
}

/** The conditions of the rule for a command. */
export interface CommandConditions {
  /** Rejects with `PolicyError` unless the conditions on charts hold for a loaded chart. */
  requireChart(chart: LoadedChart): Promise<void>;
  /** Rejects with `PolicyError` unless the conditions on commands hold for that of a plan. */
  requirePlanned(type: PlannedCommand, options: object): Promise<void>;
  /** Rejects with `PolicyError` unless the conditions on objects hold for an object to write. */
  requireObject(object: object): Promise<void>;
}

interface LoadedChart {
  reference: ChartReference | undefined;
  /** Undefined for plain manifests. */
  version: string | undefined;
}

export interface CompiledPolicy {
  rules: PolicyRules;
  variables: VariablesByExpression;
  evaluator: ConditionEvaluator;
}

/**
 * Returns the conditions of a rule on charts and objects. Rejects with `PolicyError` unless those
 * on the command hold.
 */
export async function openConditions(
  rule: PolicyRule,
  scope: PolicyScope,
  time: DecisionTime,
  policy: CompiledPolicy,
): Promise<CommandConditions> {
  const isContinued = time === 'continued';
  const base = { ...conditionValues(scope), now: isContinued ? 0 : time.begins.getTime() };
  const requireAt = async (stage: ConditionStage, values: Partial<ConditionValues> = {}) => {
    const all = await evaluateConditions({ rule, stage, isContinued }, policy, { ...base, ...values });
    const failed = all.find(({ holds }) => !holds);
    if (failed !== undefined) throw refused(rule, failed.field, refusalOf(failed));
  };
  await requireAt('command');
  const isLoaded = scope.chart !== undefined && scope.chart.reference !== 'manifests:';
  if (!isLoaded) await requireAt('chart');
  return {
    requireChart: (chart) => requireAt('chart', { chart: chartValue(chart) }),
    requirePlanned(type, payload) {
      const { command } = conditionValues({ ...scope, type, right: commands[type].right, payload });
      return requireAt('command', { command });
    },
    requireObject: (object) => requireAt('object', { object }),
  };
}

/** Returns the values of the variables, as far as a command has them. */
export function conditionValues({
  type,
  right,
  changes,
  payload,
  sentBy,
  releaseName,
  namespace,
  chart,
}: PolicyScope): Omit<ConditionValues, 'now'> {
  const fields = Object.entries(payload).filter(([name]) => !largeFields.has(name));
  return {
    command: { type, right, changes, payload: Object.fromEntries(fields) },
    caller: sentBy ?? '',
    release: { name: releaseName ?? '', namespace: namespace ?? '' },
    chart: chart === undefined ? null : chartValue({ reference: chart, version: undefined }),
    object: null,
  };
}

/** Fields of commands that have files. */
const largeFields: ReadonlySet<string> = new Set(['chartArchive', 'chartProvenance', 'manifests']);

function chartValue({ reference, version }: LoadedChart): object {
  return { reference: reference?.reference ?? '', hasDigest: reference?.hasDigest ?? false, version: version ?? '' };
}

/** A condition with whether it holds. */
export interface EvaluatedCondition extends ConditionOutcome {
  field: string;
  condition: Condition;
}

/** Evaluates the conditions of a rule that read what is known at a stage, and no more. */
export async function evaluateConditions(
  { rule, stage, isContinued }: { rule: PolicyRule; stage: ConditionStage; isContinued: boolean },
  { evaluator, variables }: Pick<CompiledPolicy, 'evaluator' | 'variables'>,
  values: ConditionValues,
): Promise<EvaluatedCondition[]> {
  const wanted = (rule.conditions ?? [])
    .map((condition, index) => ({ condition, field: `conditions[${index}]` }))
    .filter(({ condition }) => {
      const read = variables.get(condition.expression) ?? [];
      // a command that has begun may end, as with windows
      return stageOf(read) === stage && !(isContinued && read.includes('now'));
    });
  if (wanted.length === 0) return [];
  const expressions = wanted.map(({ condition }) => condition.expression);
  const outcomes = await evaluator.evaluate(expressions, values).catch((error: unknown) => {
    if (codeOf(error) === undefined) throw error;
    const problem = 'it takes too much time or memory';
    return wanted.map((): ConditionOutcome => ({ holds: false, problem }));
  });
  return wanted.map((one, index) => ({ ...one, ...(outcomes[index] ?? { holds: false }) }));
}

function stageOf(variables: readonly ConditionVariable[]): ConditionStage {
  if (variables.includes('object')) return 'object';
  return variables.includes('chart') ? 'chart' : 'command';
}

/** Returns why a condition refuses a command. */
export function refusalOf({ condition: { expression, message }, problem }: EvaluatedCondition): string {
  const text = message ?? expression;
  return problem === undefined ? text : `${text}: ${problem}`;
}
