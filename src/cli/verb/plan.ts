import { imagesOf } from '../../policy/images.ts';
import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { type PlannedChanges, planRelease } from '../../protocol/commands/plan-release.ts';
import { differenceText, diffText } from '../ctl/output/diff.ts';
import { customFlag } from '../pflag/flag.ts';
import { oneLine } from '../text.ts';
import { typeOf, type Verb } from './verb.ts';

/** The commands that can be planned, and what a plan calls them. */
const actions = {
  install_release: 'install',
  upgrade_release: 'upgrade',
  rollback_release: 'rollback',
  uninstall_release: 'uninstall',
} as const;

const formats = ['text', 'json'];

export const outputFlag = customFlag('format', 'output', `format of the output: ${formats.join(', ')}`, {
  shorthand: 'o',
  initial: 'text',
  check(text) {
    if (formats.includes(text)) return text;
    throw new Error(`must be one of ${formats.join(', ')}`);
  },
});

/** Returns the verb of `ctl plan` with the arguments and flags of the verb that it plans. */
export function planOf<Type extends keyof typeof actions>(verb: Verb<Type>): Verb<'plan_release'> {
  const { definition, flags = [], argumentValues } = verb;
  return {
    type: 'plan_release',
    definition: { ...definition, right: planRelease.right },
    flags: [...flags.filter(({ name }) => name !== 'output'), outputFlag],
    ...(argumentValues && { argumentValues }),
    values(given, fields) {
      const values = { ...fields, ...verb.values?.(given, fields) };
      if (values.dryRun !== undefined) throw new Error('leave out --dry-run: a plan changes nothing');
      return { ...values, action: actions[typeOf(verb, given)] };
    },
    shows: () => 'progress',
    text(answer, { flags: given, next }) {
      if (given.text('output') === 'json') return `${JSON.stringify(answer)}\n`;
      const apply = next?.('apply-plan', answer.plan) ?? '';
      return `${planText(answer)}To apply it: ${oneLine(apply)}\n`;
    },
  };
}

type Plan = CommandAnswers['plan_release'];

/** Returns a plan for a person: the release, its objects and its hooks. */
export function planText(plan: Plan): string {
  const lines = [
    `PLAN: ${plan.plan}`,
    `DIGEST: ${plan.digest}`,
    `ACTION: ${actionText(plan)}`,
    `EXPIRES: ${plan.expires}`,
  ];
  return `${lines.map(oneLine).join('\n')}\n${planChangesText(plan, plan.unchanged)}`;
}

/** Returns what a plan changes, for a person. `unchanged` is the number of other objects. */
export function planChangesText({ differences, ...plan }: PlannedChanges, unchanged?: number): string {
  const { hooks, crds, hookDifferences = [], crdDifferences = [], noChange = false, chartSignature } = plan;
  const lines = [
    ...(chartSignature === undefined ? [] : [`CHART SIGNED BY: ${signatureText(chartSignature)}`]),
    ...(noChange ? ['Nothing changes, so no revision would be added.'] : []),
    ...crds.map((file) => `+ CRDs of ${file}`),
  ];
  const hookLines = hooks.map(({ event, kind, name, weight }) => `${event} ${kind} ${name} (weight ${weight})`);
  const head = [...lines.map(oneLine), ...crdDifferences.map((found) => differenceText(found).trimEnd())];
  const changedHooks = hookDifferences.map((found) => differenceText(found).trimEnd());
  const tail = hooks.length > 0 ? ['HOOKS:', ...hookLines.map((line) => `  ${oneLine(line)}`), ...changedHooks] : [];
  const rights = plan.rights ?? [];
  const needed = rights.length > 0 ? ['RIGHTS:', ...rights.map((right) => `  ${oneLine(rightText(right))}`)] : [];
  const all = [...differences, ...hookDifferences, ...crdDifferences];
  const changed =
    unchanged === undefined ? differences.map(differenceText).join('') : diffText({ differences, unchanged });
  return [
    ...head,
    ...listText('IMAGES', imagesIn(all)),
    ...listText('ROLES', rolesIn(all)),
    changed.trimEnd(),
    ...tail,
    ...needed,
    '',
  ].join('\n');
}

function listText(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `  ${oneLine(item)}`)];
}

/** Returns the images that differences bring, each once. */
function imagesIn(differences: Plan['differences']): string[] {
  const found = differences.flatMap(({ fields = [] }) => fields.flatMap(({ path, after }) => imagesAt(path, after)));
  return [...new Set(found)].sort();
}

/** Returns the images in the value of a field, such as `spec.containers[name=app].image`. */
function imagesAt(path: string, value: unknown): string[] {
  if (typeof value === 'string') {
    return /[cC]ontainers\[[^[\]]*\]\.image$|\.image\.reference$/.test(path) ? [value] : [];
  }
  const [, name = '', item] = /(?<!\w)(\w+)(\[[^[\]]*\])?$/.exec(path) ?? [];
  return [...imagesOf({ [name]: item === undefined ? value : [value] })];
}

/** Returns the roles and bindings that differ. */
function rolesIn(differences: Plan['differences']): string[] {
  const roles = differences.filter(({ apiVersion }) => apiVersion.startsWith('rbac.authorization.k8s.io/'));
  return roles.map(({ change, kind, namespace, name }) => {
    return `${change} ${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  });
}

function rightText({ verbs, group, resource, namespace }: NonNullable<Plan['rights']>[number]): string {
  const place = namespace === undefined ? 'in the whole cluster' : `in ${namespace}`;
  return `${verbs.join(', ')} ${group === '' ? resource : `${resource}.${group}`} ${place}`;
}

function signatureText({ by, scheme, key, issuer, identity, digest }: NonNullable<Plan['chartSignature']>): string {
  const signer = identity === undefined ? `key ${key}` : `${identity}, checked by ${issuer ?? ''}`;
  return `${by} (${scheme}, ${signer}), for ${digest}`;
}

function actionText({ action, revision, base, chart }: Omit<Plan, 'differences' | 'unchanged'>): string {
  const release = revision === undefined ? '' : ` revision ${revision}`;
  const content = chart === undefined ? '' : ` with ${chart}`;
  const now = base === undefined ? 'there is no release' : `revision ${base.version} is ${base.status}`;
  return `${action}${release}${content}; ${now}`;
}
