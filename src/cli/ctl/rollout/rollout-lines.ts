import { cut, table } from '../../table.ts';
import { oneLine } from '../../text.ts';
import { ageText } from '../progress-text.ts';
import type { RolloutCluster, RolloutSummary } from './rollout-client.ts';

/** Number of clusters with problems that are listed; the others are only counted. */
const maxProblems = 5;

/** Number of waves around the present one that are listed; the others are only counted. */
const maxWaves = 8;

/** The stages in which a cluster has a problem, or its update was undone. */
const troubles = ['failed', 'stuck', 'reviewing', 'reverting', 'reverted'];

/**
 * Returns the lines about a rollout: what it does, its waves, its problems, and what comes next.
 * `now` is in milliseconds.
 */
export function rolloutLines(rollout: RolloutSummary, now: number, columns = Infinity): string[] {
  const { problems } = rollout;
  const shown = problems.slice(0, maxProblems);
  const hidden = problems.length - shown.length;
  const rows = table(shown.map((cluster) => [cluster.agentId, cluster.stage, failureText(cluster)].map(oneLine)));
  const lines = [
    headLine(rollout),
    ...planLines(rollout),
    ...waveLines(rollout),
    ...rows.map((line) => `    ${line}`),
    ...(hidden > 0 ? [`    and ${hidden} more; ctl rollout status ${oneLine(rollout.id)} --clusters has all`] : []),
    stateText(rollout, now),
  ];
  return columns === Infinity ? lines : lines.map((line) => cut(line, columns));
}

/** Returns what a rollout deploys, and where: `web-2.0: web from nginx in shop, to 30 clusters`. */
function headLine({ id, type, releaseName, namespace = 'default', chart, clusters }: RolloutSummary): string {
  const total = sum(clusters);
  const from = chart === undefined ? '' : ` from ${chart}`;
  const what = releaseName === undefined ? type : `${releaseName}${from} in the namespace ${namespace}`;
  return oneLine(`${id}: ${what}, to ${total} ${total === 1 ? 'cluster' : 'clusters'}`);
}

/** Number of groups of plans that are listed. */
const maxGroups = 5;

function planLines({ groups = [], groupCount = groups.length }: RolloutSummary): string[] {
  const shown = groups.slice(0, maxGroups);
  const rows = shown.map(({ id, clusters, counts, approvedBy }) => [
    `${approvedBy === undefined ? '?' : '✓'} plan ${id.slice(0, 12)}`,
    `${clusters}`,
    Object.keys(counts).length === 0 ? 'no object changes' : `objects: ${countsText(counts)}`,
    approvedBy === undefined ? 'waits for an approval' : `approved by ${approvedBy}`,
  ]);
  const hidden = groupCount - shown.length;
  return [...table(rows.map((row) => row.map(oneLine))), ...(hidden > 0 ? [`  and ${hidden} more plans`] : [])];
}

function waveLines(rollout: RolloutSummary): string[] {
  const { waves, wave } = rollout;
  const first = Math.max(0, Math.min(wave - 1 - Math.floor(maxWaves / 2), waves.length - maxWaves));
  const shown = waves.slice(first, first + maxWaves);
  const hidden = waves.length - shown.length;
  const rows = shown.map(({ number, clusters }) => [
    `${signOf(rollout, number, clusters)} wave ${number}`,
    `${sum(clusters)}`,
    countsText(clusters),
  ]);
  return [...table(rows), ...(hidden > 0 ? [`  and ${hidden} more waves`] : [])];
}

function signOf({ phase, wave }: RolloutSummary, number: number, counts: Readonly<Record<string, number>>): string {
  if (troubles.some((stage) => (counts[stage] ?? 0) > 0) && (number !== wave || phase !== 'running')) return '✗';
  if (number < wave || phase === 'succeeded') return '✓';
  if (number > wave) return '·';
  return phase === 'failed' || phase === 'aborted' ? '✗' : '●';
}

/** Returns the numbers of clusters in each stage: `3 updated, 1 failed`. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([stage, count]) => `${count} ${oneLine(stage)}`)
    .join(', ');
}

function failureText({ failure }: RolloutCluster): string {
  return failure === undefined ? '' : `${failure.code}: ${failure.message}`;
}

/** Whether a rollout waits for the approval of plans, and not of a wave. */
export function awaitsPlans({ awaitsApproval, waveStage, groups = [] }: RolloutSummary): boolean {
  return awaitsApproval && waveStage !== 'approval' && groups.some(({ approvedBy }) => approvedBy === undefined);
}

/** Returns what a rollout does, or waits for. `now` is in milliseconds. */
function stateText(rollout: RolloutSummary, now: number): string {
  const { phase, reason, wave, waveStage } = rollout;
  if (reason !== undefined) return oneLine(`${phase}: ${reason}`);
  if (phase !== 'running') return oneLine(phase);
  if (waveStage === 'planning') return 'the clusters make their plans';
  if (awaitsPlans(rollout)) return 'plans wait until they are approved';
  if (rollout.awaitsApproval) return `wave ${wave} waits until it is approved`;
  if (waveStage === 'approval') return `wave ${wave} begins`;
  if (rollout.soaksUntil === undefined) return oneLine(`wave ${wave} is ${waveStage}`);
  const left = Date.parse(rollout.soaksUntil) - now;
  return `wave ${wave} soaks${left > 0 ? ` for another ${ageText(left)}` : ''}`;
}

/** Returns the lines about changes since another view, for output that cannot be redrawn. */
export function changedLines(before: RolloutSummary | undefined, rollout: RolloutSummary, now: number): string[] {
  if (before === undefined) return rolloutLines(rollout, now);
  const known = new Set(before.problems.map(problemText));
  const problems = rollout.problems.map(problemText).filter((text) => !known.has(text));
  const waves = rollout.waves.flatMap(({ number, clusters }, index) => {
    const isOver = number < rollout.wave || rollout.phase !== 'running' || rollout.waveStage === 'soaking';
    const text = `wave ${number}: ${countsText(clusters)}`;
    const last = before.waves[index];
    const wasOver = number < before.wave || before.phase !== 'running' || before.waveStage === 'soaking';
    const isChanged = last !== undefined && countsText(last.clusters) !== countsText(clusters);
    return number <= rollout.wave && isOver && (isChanged || (!wasOver && number === before.wave)) ? [text] : [];
  });
  const state = stateText(rollout, Number.NaN);
  return [...problems, ...waves, ...(state === stateText(before, Number.NaN) ? [] : [state])];
}

function problemText(cluster: RolloutCluster): string {
  return oneLine(`${cluster.agentId} ${cluster.stage}: ${failureText(cluster)}`);
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
