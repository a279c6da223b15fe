import type { CommandProgress, ResourceProgress, StepProgress } from '../../protocol/progress.ts';
import { cut, table } from '../table.ts';
import { oneLine } from '../text.ts';
import { ageText, progressText } from './progress-text.ts';

const signs: Record<StepProgress['state'], string> = { running: '●', done: '✓', failed: '✗', skipped: '–' };

/**
 * Number of resources that are listed; the others are only counted. So the table of the longest
 * operation fits on a terminal of 24 lines, the part that can be redrawn.
 */
const maxResources = 8;

/**
 * Returns the lines of the progress table for a terminal of the given width. `passed` is the time
 * since the last status packet, in milliseconds.
 */
export function liveLines(progress: CommandProgress, columns: number, passed = 0): string[] {
  const now = Date.parse(progress.time ?? '') + passed;
  const head = [];
  if (!progress.agentConnected) head.push('the agent is not connected; waiting for it');
  else if (!progress.accepted) head.push('waiting for the agent');
  else if (progress.steps.length === 0 && passed > 0)
    head.push('no step has begun; the agent waits for its cluster, or for another command of the release');
  if (progress.missed > 0) head.push(`${progress.missed} status packets were lost`);
  const steps = table(progress.steps.map((step) => stepRow(step, progress, now)));
  const lines = [...head, ...steps, ...resourceLines([...progress.resources.values()], now)];
  return lines.map((line) => cut(line, columns));
}

function stepRow(
  { name, state, started, changed, message }: StepProgress,
  { estimate }: CommandProgress,
  now: number,
): string[] {
  const seconds = (Date.parse(changed) - Date.parse(started)) / 1000;
  const took = state === 'running' || !Number.isFinite(seconds) ? '' : `${seconds.toFixed(1)}s`;
  const left = state === 'running' && name === 'wait' ? Date.parse(estimate ?? '') - now : NaN;
  const text = left > 0 ? `about ${ageText(left)} left, as for the revision before` : '';
  return [`${signs[state]} ${oneLine(name)}`, took.padStart(6), oneLine(message ?? text)];
}

/** Lists the resources, first those that are not ready. */
function resourceLines(resources: ResourceProgress[], now: number): string[] {
  const isReady = ({ status }: ResourceProgress) => status === 'Current';
  const sorted = [...resources.filter((one) => !isReady(one)), ...resources.filter(isReady)];
  const shown = sorted.slice(0, maxResources);
  const rows = shown.map((resource) => {
    const { kind, name, status, since } = resource;
    const age = now - Date.parse(since ?? '');
    const state = isReady(resource) || Number.isNaN(age) ? status : `${status} ${ageText(age)}`;
    return [`${kind}/${name}`, state, progressText(resource)].map((cell) => oneLine(cell));
  });
  const hidden = sorted.length - rows.length;
  const lines = [...table(rows), ...(hidden > 0 ? [`and ${hidden} more`] : [])];
  return lines.map((line) => `    ${line}`);
}
