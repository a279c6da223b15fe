import type { CommandAnswers } from '../../../protocol/commands/index.ts';
import { oneLine } from '../../text.ts';
import { differenceText, diffText } from './diff.ts';

type Plan = CommandAnswers['plan_release'];

/** Returns a plan for a person: the release, its objects and its hooks. */
export function planText({ differences, unchanged, ...plan }: Plan): string {
  const { hooks, crds, hookDifferences = [], crdDifferences = [], noChange = false } = plan;
  const lines = [
    `PLAN: ${plan.plan}`,
    `ACTION: ${actionText(plan)}`,
    `EXPIRES: ${plan.expires}`,
    ...(noChange ? ['Nothing changes, so no revision would be added.'] : []),
    ...crds.map((file) => `+ CRDs of ${file}`),
  ];
  const hookLines = hooks.map(({ event, kind, name, weight }) => `${event} ${kind} ${name} (weight ${weight})`);
  const head = [...lines.map(oneLine), ...crdDifferences.map((found) => differenceText(found).trimEnd())];
  const changedHooks = hookDifferences.map((found) => differenceText(found).trimEnd());
  const tail = hooks.length > 0 ? ['HOOKS:', ...hookLines.map((line) => `  ${oneLine(line)}`), ...changedHooks] : [];
  const rights = plan.rights ?? [];
  const needed = rights.length > 0 ? ['RIGHTS:', ...rights.map((right) => `  ${oneLine(rightText(right))}`)] : [];
  return [...head, diffText({ differences, unchanged }).trimEnd(), ...tail, ...needed, ''].join('\n');
}

function rightText({ verbs, group, resource, namespace }: NonNullable<Plan['rights']>[number]): string {
  const place = namespace === undefined ? 'in the whole cluster' : `in ${namespace}`;
  return `${verbs.join(', ')} ${group === '' ? resource : `${resource}.${group}`} ${place}`;
}

function actionText({ action, revision, base, chart }: Omit<Plan, 'differences' | 'unchanged'>): string {
  const release = revision === undefined ? '' : ` revision ${revision}`;
  const content = chart === undefined ? '' : ` with ${chart}`;
  const now = base === undefined ? 'there is no release' : `revision ${base.version} is ${base.status}`;
  return `${action}${release}${content}; ${now}`;
}
