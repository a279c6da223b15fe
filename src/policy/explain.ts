import { jsonText } from '../objects/json-text.ts';
import type { KubeObject } from '../objects/object.ts';
import { type ObjectTarget, targetOf } from '../objects/object-target.ts';
import { isSelected, selectorFields } from '../rights/command-selector.ts';
import { SignatureError } from '../signatures/signature-error.ts';
import { type CommandPolicy, decide } from './command-policy.ts';
import {
  type CompiledPolicy,
  conditionValues,
  evaluateConditions,
  type EvaluatedCondition,
  evaluateObjectConditions,
  refusalOf,
} from './conditions/command-conditions.ts';
import { PolicyError } from './policy-error.ts';
import { limitFields, type PolicyRule, type PolicyRules } from './policy-rules.ts';
import type { DecisionTime, PolicyScope } from './policy-scope.ts';

/** How a policy decides about a command. */
export interface Explanation {
  /** Rules that are not for the command, and the first field by which they are not. */
  skipped: { rule: string; field: string }[];
  /** The rule that decides. Undefined for the default of the policy. */
  rule: string | undefined;
  /** The limits of the rule, in the order of their checks. */
  limits: ExplainedLimit[];
  /** Why the command is refused, with the first reason. Undefined if it is allowed. */
  refusal: string | undefined;
}

interface ExplainedLimit {
  field: string;
  /** Why it refuses the command. Undefined if it does not. */
  problem: string | undefined;
}

/** The command to explain: when it begins, and the objects that it would write. */
export interface ExplainedCommand {
  scope: PolicyScope;
  begins: Date;
  objects: readonly KubeObject[];
}

/** Returns how a policy decides about a command, with each limit on its own. */
export async function explain(policy: CompiledPolicy, command: ExplainedCommand): Promise<Explanation> {
  const { rules } = policy.rules;
  const index = rules.findIndex((rule) => isSelected(rule, command.scope));
  const rule = rules[index];
  const others = rules.slice(0, index < 0 ? rules.length : index);
  const skipped = others.map((other) => ({ rule: other.name, field: excludingField(other, command.scope) }));
  const refusal = refusalBy(command, (scope, time) => decide(policy.rules, scope, time));
  if (rule === undefined || rule.deny !== undefined) return { skipped, rule: rule?.name, limits: [], refusal };
  const fields = limitFields.filter((field) => rule[field] !== undefined);
  const conditions = await conditionsOf(policy, rule, command);
  return {
    ...{ skipped, rule: rule.name },
    limits: [...fields.map((field) => limitOf(rule, field, command, policy.rules)), ...conditions],
    refusal: refusal ?? conditions.find(({ problem }) => problem !== undefined)?.problem,
  };
}

/** Returns the first field by which a rule is not for a command. */
function excludingField(rule: PolicyRule, scope: PolicyScope): string {
  const fields = Object.keys(selectorFields) as (keyof typeof selectorFields)[];
  return fields.find((field) => !isSelected({ [field]: rule[field] }, scope)) ?? '';
}

function limitOf(
  rule: PolicyRule,
  field: (typeof limitFields)[number],
  command: ExplainedCommand,
  { chartKeys }: PolicyRules,
): ExplainedLimit {
  // upgrades of the agent need several limits at once
  const isOfAgent = field === 'agentVersions';
  const only = { name: rule.name, ...(isOfAgent && { images: ['*'], charts: ['*'] }), [field]: rule[field] };
  const problem = refusalBy(command, (scope, time) => {
    const type = scope.type === 'upgrade_agent' && !isOfAgent ? 'upgrade_release' : scope.type;
    return decide({ keys: [], chartKeys, pullSecrets: [], rules: [only], default: 'deny' }, { ...scope, type }, time);
  });
  const { mode, keys: names } = rule.verify ?? {};
  if (field !== 'verify' || mode === undefined || problem !== undefined) return { field, problem };
  const keys = chartKeys.filter(({ name }) => names?.includes(name) ?? true).map(signerText);
  return {
    field: `verify: the chart ${mode === 'always' ? 'must be' : 'if signed, must be'} signed by ${keys.join(' or ')}`,
    problem,
  };
}

/** Returns the name of a key, and who signs without one. */
function signerText({ name, keyless }: PolicyRules['chartKeys'][number]): string {
  return keyless === undefined ? name : `${name} (${keyless.identity}, checked by ${keyless.issuer})`;
}

function refusalBy(
  { objects, scope, begins }: ExplainedCommand,
  run: (...command: [PolicyScope, DecisionTime]) => CommandPolicy,
): string | undefined {
  try {
    const found = run(scope, { begins });
    const written = objects.map((object) => ({ ref: placed(object, scope), object }));
    for (const { ref, object } of written) found.requireChange(ref, object);
    found.requireObjects(written);
    return undefined;
  } catch (error) {
    if (error instanceof PolicyError || error instanceof SignatureError) return error.message;
    throw error;
  }
}

/** Returns the target of an object, which is in the namespace of the release if it names none. */
function placed(object: KubeObject, scope: PolicyScope): ObjectTarget {
  const target = targetOf(object);
  return { ...target, namespace: target.namespace ?? scope.namespace };
}

async function conditionsOf(
  policy: CompiledPolicy,
  rule: PolicyRule,
  { scope, begins, objects }: ExplainedCommand,
): Promise<ExplainedLimit[]> {
  const base = { ...conditionValues(scope), now: begins.getTime() };
  const found: EvaluatedCondition[] = [];
  for (const stage of ['command', 'chart'] as const) {
    found.push(...(await evaluateConditions({ rule, stage, isContinued: false }, policy, base)));
  }
  const texts = objects.map(jsonText);
  const onObjects = await evaluateObjectConditions({ rule, isContinued: false }, policy, base, texts);
  for (const [index, all] of onObjects.entries()) {
    const { kind = '', metadata } = objects[index] ?? {};
    found.push(...all.map((one) => ({ ...one, field: `${one.field} for ${kind} ${metadata?.name ?? ''}` })));
  }
  return found.map((one) => {
    const problem = one.holds
      ? undefined
      : `rule ${rule.name} of the policy does not allow it: ${one.field}: ${refusalOf(one)}`;
    return { field: `${one.field} (${one.condition.expression})`, problem };
  });
}
