import { planAnswer } from '../../../protocol/commands/plan-release.ts';
import { cut } from '../../table.ts';
import { oneLine } from '../../text.ts';
import { planChangesText } from '../../verb/plan.ts';
import { readAs } from '../read-as.ts';
import type { RolloutPlanGroup } from './rollout-client.ts';
import { countsText } from './rollout-lines.ts';

/** The fewest characters that name a group. */
const minPrefix = 12;

const changesSchema = planAnswer.pick({
  ...({ action: true, chart: true, noChange: true, crds: true, hooks: true, crdDifferences: true } as const),
  ...({ hookDifferences: true, differences: true, rights: true, omitted: true } as const),
});

/** Returns the groups of plans for a person: how many clusters have them, and what they change. */
export function plansText(groups: readonly RolloutPlanGroup[]): string {
  if (groups.length === 0) return 'No cluster has made a plan yet.\n';
  return groups.map(groupText).join('\n');
}

function groupText(group: RolloutPlanGroup): string {
  const { id, clusters, action, chart, counts, approvedBy, agentId, plan, changes } = group;
  const state = approvedBy === undefined ? 'waits for an approval' : `approved by ${approvedBy}`;
  const what = chart === undefined ? action : `${action} with ${chart}`;
  const lines = [
    `GROUP: ${id}`,
    `CLUSTERS: ${clusters}, such as ${agentId}`,
    `STATE: ${state}`,
    `ACTION: ${what}; ${Object.keys(counts).length === 0 ? 'no object changes' : countsText(counts)}`,
  ];
  const content =
    changes === undefined
      ? `${oneLine(`The changes are too long; to see them: ctl get-plan ${plan} --agent ${agentId}`)}\n`
      : planChangesText(readAs(changesSchema, changes, 'plan'));
  return `${lines.map((line) => cut(oneLine(line), 1000)).join('\n')}\n${content}`;
}

/** Returns the ids of groups. Throws an Error unless each text is the start of one. */
export function chosenGroups(groups: readonly RolloutPlanGroup[], texts: readonly string[]): string[] {
  const chosen = texts.flatMap((text) => {
    if (text === '*') return groups.filter(({ approvedBy }) => approvedBy === undefined).map(({ id }) => id);
    const found = groups.filter(({ id }) => text.length >= minPrefix && id.startsWith(text));
    if (found.length === 1) return found.map(({ id }) => id);
    throw new Error(`the rollout has no group of plans ${JSON.stringify(text)}; ctl rollout plans prints them`);
  });
  if (chosen.length === 0) throw new Error('no plan waits for an approval');
  return [...new Set(chosen)];
}
