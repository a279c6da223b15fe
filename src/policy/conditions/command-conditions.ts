import { hash } from 'node:crypto';
import { codeOf } from '../../errors/index.ts';
import { jsonText } from '../../objects/json-text.ts';
import { commands } from '../../protocol/commands/index.ts';
import type { ChartReference } from '../chart-reference.ts';
import { refused } from '../policy-error.ts';
import type { PolicyRule, PolicyRules } from '../policy-rules.ts';
import type { DecisionTime, PlannedCommand, PolicyScope } from '../policy-scope.ts';
import type {
  ConditionEvaluator,
  ConditionOutcome,
  ConditionReads,
  ConditionValues,
  ConditionVariable,
} from './condition.ts';
import { type FieldPath, selectFields } from './field-paths.ts';
import { shownPayload } from './shown-payload.ts';

/** The variables and fields that each expression of a policy reads. */
type ReadsByExpression = ReadonlyMap<string, ConditionReads>;

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
): Promise<ReadsByExpression> {
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
      const found = compiled[index] ?? { problem: 'it was not compiled' };
      if (found.variables === undefined) throw new Error(`${place}: ${found.problem}`);
      return [expression, found];
    }),
  );
}

/** The conditions of the rule for a command. */
export interface CommandConditions {
  /** Rejects with `PolicyError` unless the conditions on charts hold for a loaded chart. */
  requireChart(chart: LoadedChart): Promise<void>;
  /** Rejects with `PolicyError` unless the conditions on commands hold for that of a plan. */
  requirePlanned(type: PlannedCommand, options: object): Promise<void>;
  /** Whether there are conditions on objects. */
  readonly readsObjects: boolean;
  /** Rejects with `PolicyError` unless the conditions on objects hold for objects to write. */
  requireObjects(objects: readonly object[]): Promise<void>;
}

interface LoadedChart {
  reference: ChartReference | undefined;
  /** Undefined for plain manifests. */
  version: string | undefined;
}

export interface CompiledPolicy {
  rules: PolicyRules;
  reads: ReadsByExpression;
  evaluator: ConditionEvaluator;
}

/** A policy that decides about one command after another. */
export interface UsedPolicy extends CompiledPolicy {
  passed: PassedConditions;
}

/** Keys of conditions and the values that they have held for: they hold for these again. */
interface PassedConditions {
  has(key: string): boolean;
  add(key: string): void;
}

const maxPassed = 4096;

/** Returns an empty memory, which forgets the oldest keys. */
export function createPassed(most = maxPassed): PassedConditions {
  const keys = new Set<string>();
  return {
    has: (key) => keys.has(key),
    add(key) {
      keys.add(key);
      const [oldest] = keys.size > most ? keys : [];
      if (oldest !== undefined) keys.delete(oldest);
    },
  };
}

/**
 * Returns the conditions of a rule on charts and objects. Rejects with `PolicyError` unless those
 * on the command hold.
 */
export async function openConditions(
  rule: PolicyRule,
  scope: PolicyScope,
  time: DecisionTime,
  policy: UsedPolicy,
): Promise<CommandConditions> {
  const isContinued = time === 'continued';
  const base = { ...conditionValues(scope), now: isContinued ? 0 : time.begins.getTime() };
  const requireAll = (evaluated: readonly EvaluatedCondition[]) => {
    const failed = evaluated.find(({ holds }) => !holds);
    if (failed !== undefined) throw refused(rule, failed.field, refusalOf(failed));
  };
  const requireAt = async (stage: 'command' | 'chart', values: Partial<ConditionValues> = {}) => {
    const known = { ...base, ...values };
    const conditions = wantedConditions({ rule, stage, isContinued }, policy);
    const key = keyOf(conditions, policy, known);
    if (key !== undefined && policy.passed.has(key)) return;
    requireAll(await evaluateConditions({ rule, stage, isContinued }, policy, known));
    if (key !== undefined) policy.passed.add(key);
  };
  const objectConditions = wantedConditions({ rule, stage: 'object', isContinued }, policy);
  const textOf = readText(objectConditions, policy);
  const objectsKey = keyOf(objectConditions, policy, base);
  /** Keys (see {@link textKey}) of objects for which the conditions hold. */
  const passed = new Set<string>();
  await requireAt('command');
  const isLoaded = scope.chart !== undefined && scope.chart.reference !== 'manifests:';
  if (!isLoaded) await requireAt('chart');
  const readsObjects = objectConditions.length > 0;
  return {
    readsObjects,
    requireChart: (chart) => requireAt('chart', { chart: chartValue(chart) }),
    requirePlanned(type, payload) {
      const { command } = conditionValues({ ...scope, type, right: commands[type].right, payload });
      return requireAt('command', { command });
    },
    async requireObjects(objects) {
      if (!readsObjects) return;
      const unknown = new Map<string, string>();
      for (const text of objects.map(textOf)) {
        const key = textKey(text);
        if (passed.has(key) || unknown.has(key)) continue;
        // objects that an earlier command had
        if (objectsKey !== undefined && policy.passed.has(digestOf(objectsKey, text))) passed.add(key);
        else unknown.set(key, text);
      }
      if (unknown.size === 0) return;
      requireAll((await evaluateObjectConditions({ rule, isContinued }, policy, base, [...unknown.values()])).flat());
      for (const [key, text] of unknown) {
        passed.add(key);
        if (objectsKey !== undefined) policy.passed.add(digestOf(objectsKey, text));
      }
    },
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
  return {
    command: { type, right, changes, payload: shownPayload(payload) },
    caller: sentBy ?? '',
    release: { name: releaseName ?? '', namespace: namespace ?? '' },
    chart: chart === undefined ? null : chartValue({ reference: chart, version: undefined }),
    object: null,
  };
}

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
  wanted: WantedConditions & { stage: 'command' | 'chart' },
  policy: Evaluation,
  values: ConditionValues,
): Promise<EvaluatedCondition[]> {
  const conditions = wantedConditions(wanted, policy);
  if (conditions.length === 0) return [];
  const run = () => policy.evaluator.evaluate(expressionsOf(conditions), readValues(values, conditions, policy));
  return withOutcomes(conditions, await withinLimits(run));
}

/**
 * Evaluates the conditions of a rule on objects, which are JSON texts, for each of them. Ends with
 * the first one that takes too much time or memory.
 */
export async function evaluateObjectConditions(
  wanted: Omit<WantedConditions, 'stage'>,
  policy: Evaluation,
  values: ConditionValues,
  objects: readonly string[],
): Promise<EvaluatedCondition[][]> {
  const conditions = wantedConditions({ ...wanted, stage: 'object' }, policy);
  if (conditions.length === 0) return [];
  const others = readValues(values, conditions, policy);
  const evaluate = (texts: readonly string[]) =>
    withinLimits(() => policy.evaluator.evaluateObjects(expressionsOf(conditions), others, texts));
  const all: EvaluatedCondition[][] = [];
  for (const batch of batchesOf(objects)) {
    const together = await evaluate(batch);
    for (const [index, text] of batch.entries()) {
      // the limits on time and memory are those of one object
      const outcomes = together === undefined ? (await evaluate([text]))?.[0] : together[index];
      all.push(withOutcomes(conditions, outcomes));
      if (outcomes === undefined) return all;
    }
  }
  return all;
}

const maxBatch = 100;
const maxBatchLength = 256 * 1024;

/** Returns texts in groups that a thread takes at once. */
function batchesOf(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let length = 0;
  for (const text of texts) {
    const last = batches.at(-1);
    length += text.length;
    if (last === undefined || last.length >= maxBatch || length > maxBatchLength) {
      batches.push([text]);
      length = text.length;
    } else last.push(text);
  }
  return batches;
}

type Evaluation = Pick<CompiledPolicy, 'evaluator' | 'reads'>;

interface WantedConditions {
  rule: PolicyRule;
  stage: ConditionStage;
  isContinued: boolean;
}

type WantedCondition = Pick<EvaluatedCondition, 'condition' | 'field'>;

/** Returns the conditions of a rule that read what is known at a stage, and no more. */
function wantedConditions(
  { rule, stage, isContinued }: WantedConditions,
  { reads }: Pick<Evaluation, 'reads'>,
): WantedCondition[] {
  return (rule.conditions ?? [])
    .map((condition, index) => ({ condition, field: `conditions[${index}]` }))
    .filter(({ condition }) => {
      const read = reads.get(condition.expression)?.variables ?? [];
      // a command that has begun may end, as with windows
      return stageOf(read) === stage && !(isContinued && read.includes('now'));
    });
}

function pathsOf(conditions: readonly WantedCondition[], { reads }: Pick<Evaluation, 'reads'>): FieldPath[] {
  return conditions.flatMap(({ condition }) => reads.get(condition.expression)?.reads ?? []);
}

/** Returns what conditions read of the values: a command can have megabytes of others. */
function readValues(
  { now, ...values }: ConditionValues,
  conditions: readonly WantedCondition[],
  policy: Pick<Evaluation, 'reads'>,
): ConditionValues {
  const nothing = { command: null, caller: null, release: null, chart: null, object: null };
  return { ...nothing, ...(selectFields(values, pathsOf(conditions, policy)) as Partial<typeof values>), now };
}

/**
 * Returns a function that returns what conditions read of an object, as JSON text. Those of objects
 * that differ only in other fields are equal, such as the uid that an upgrade adds.
 */
function readText(
  conditions: readonly WantedCondition[],
  policy: Pick<Evaluation, 'reads'>,
): (object: object) => string {
  const paths = pathsOf(conditions, policy).flatMap(([name, ...fields]) => (name === 'object' ? [fields] : []));
  return (object) => jsonText(selectFields(object, paths));
}

/**
 * Returns a key for what conditions read of the values. Undefined for what is not kept: conditions
 * that read the time, and none.
 */
function keyOf(
  conditions: readonly WantedCondition[],
  policy: Pick<Evaluation, 'reads'>,
  values: ConditionValues,
): string | undefined {
  const readsTime = pathsOf(conditions, policy).some(([name]) => name === 'now');
  if (conditions.length === 0 || readsTime) return undefined;
  const read = readValues({ ...values, now: 0 }, conditions, policy);
  return digestOf(JSON.stringify([expressionsOf(conditions), read]));
}

/** Returns a digest, so that values of one command are not kept for others. */
function digestOf(...texts: string[]): string {
  return hash('sha256', texts.join(' '), 'base64');
}

/** Characters of a JSON text that is kept as it is. Of longer ones, the digest is kept. */
const maxKeptText = 256;

/** Returns what identifies a JSON text of an object. No digest begins like such a text. */
function textKey(text: string): string {
  return text.length <= maxKeptText ? text : digestOf(text);
}

function expressionsOf(conditions: readonly WantedCondition[]): string[] {
  return conditions.map(({ condition }) => condition.expression);
}

/** Returns undefined if the expressions take too much time or memory. */
async function withinLimits<Outcome>(evaluate: () => Promise<Outcome>): Promise<Outcome | undefined> {
  try {
    return await evaluate();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

function withOutcomes(
  conditions: readonly WantedCondition[],
  outcomes: readonly ConditionOutcome[] | undefined,
): EvaluatedCondition[] {
  const failed = { holds: false, problem: 'it takes too much time or memory' };
  return conditions.map((one, index) => ({
    ...one,
    ...(outcomes === undefined ? failed : (outcomes[index] ?? { holds: false })),
  }));
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
