import type { Cluster } from '../../objects/cluster.ts';
import { fieldAt, integerAt, listAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { exitText, joined } from '../../readiness/index.ts';
import { forEach } from '../apply/concurrency.ts';
import type { ContainerEvidence } from './evidence.ts';
import { endOfLog } from './log-end.ts';
import type { RedactText } from './log-end.ts';

const tailLines = 50;

/** Containers of a pod, those first that do not run well. */
const maxContainers = 20;

/** UTF-16 units of the end of a log that are read. */
const longestLog = 64 * 1024;

export interface LogOptions {
  cluster: Pick<Cluster, 'podLog'>;
  redact: RedactText;
  signal: AbortSignal;
}

/** Returns the states and logs of the containers of a pod, the init containers first if all fit. */
export async function containerEvidence(pod: KubeObject, options: LogOptions): Promise<ContainerEvidence[]> {
  const statuses = [...listAt(pod, 'status', 'initContainerStatuses'), ...listAt(pod, 'status', 'containerStatuses')];
  const shown = statuses.length > maxContainers ? statuses.sort(byHealth).slice(0, maxContainers) : statuses;
  return await forEach(shown, (status) => evidenceOf(pod, status, options));
}

/** Sorts containers, those first that are not ready and have not succeeded. */
function byHealth(a: unknown, b: unknown): number {
  return Number(isHealthy(a)) - Number(isHealthy(b));
}

function isHealthy(status: unknown): boolean {
  return fieldAt(status, 'ready') === true || fieldAt(status, 'state', 'terminated', 'exitCode') === 0;
}

async function evidenceOf(pod: KubeObject, status: unknown, options: LogOptions): Promise<ContainerEvidence> {
  const name = stringAt(status, 'name') ?? '';
  const restarts = integerAt(status, 'restartCount') ?? 0;
  const hasStarted = fieldAt(status, 'state', 'waiting') === undefined || restarts > 0;
  const hasEnded = fieldAt(status, 'lastState', 'terminated') !== undefined;
  const [log, previousLog] = await Promise.all([
    hasStarted ? logOf(pod, name, false, options) : undefined,
    hasEnded ? logOf(pod, name, true, options) : undefined,
  ]);
  return {
    name,
    image: stringAt(status, 'image') ?? '',
    state: await options.redact(stateText(status)),
    restarts,
    ...(log !== undefined && { log }),
    ...(previousLog !== undefined && previousLog !== log && { previousLog }),
  };
}

async function logOf(
  { metadata: { namespace = '', name } }: KubeObject,
  container: string,
  previous: boolean,
  { cluster, redact, signal }: LogOptions,
): Promise<string | undefined> {
  try {
    const log = await cluster.podLog({ namespace, name, container }, { tailLines, previous, signal });
    return log === '' ? undefined : await endOfLog(log, longestLog, redact);
  } catch {
    return undefined; // the log is missing in the evidence
  }
}

function stateText(status: unknown): string {
  const waiting = fieldAt(status, 'state', 'waiting');
  const terminated = fieldAt(status, 'state', 'terminated');
  const last = fieldAt(status, 'lastState', 'terminated');
  const lastText = last === undefined ? '' : `; last ${exitText(last)}`;
  if (waiting !== undefined) {
    return `${joined(`waiting: ${stringAt(waiting, 'reason') ?? ''}`, stringAt(waiting, 'message') ?? '')}${lastText}`;
  }
  if (terminated !== undefined) return `ended: ${exitText(terminated)}`;
  return `running${lastText}`;
}
