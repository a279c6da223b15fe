import type { Cluster } from '../../objects/cluster.ts';
import { fieldAt, integerAt, listAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import {
  conditionOf,
  conditionsOf,
  currentPods,
  eventsByObject,
  eventTime,
  exitText,
  joined,
  timesSeen,
} from '../../readiness/index.ts';
import { longestSecret } from '../../redaction/find-secrets.ts';
import { forEach } from '../apply/concurrency.ts';
import type { ResourceStatus } from '../resource-status.ts';
import { listRelatedObjects } from '../wait/related-objects.ts';
import type { ContainerEvidence, EventEvidence, Evidence, PodEvidence, ResourceEvidence } from './evidence.ts';

const maxResources = 20;
const maxPods = 3;
const maxEvents = 20;
const maxMessageLength = 1000;

export interface EvidenceOptions {
  cluster: Cluster;
  redact: RedactText;
  /** Ends the collection: the evidence has what was read until then. */
  signal: AbortSignal;
}

/** Collects the evidence about resources. Leaves out what cannot be read. Never rejects. */
export async function collectEvidence(
  resources: readonly ResourceStatus[],
  options: EvidenceOptions,
): Promise<Evidence> {
  return { resources: await forEach(resources.slice(0, maxResources), (resource) => evidenceOf(resource, options)) };
}

async function evidenceOf(resource: ResourceStatus, options: EvidenceOptions): Promise<ResourceEvidence> {
  const { cluster, redact, signal } = options;
  const evidence: ResourceEvidence = { ...resource, conditions: [], events: [], pods: [] };
  if (resource.reason !== undefined) evidence.reason = await redact(resource.reason);
  try {
    const object = await cluster.get(resource, signal);
    if (object === undefined) return evidence;
    evidence.conditions = await forEach(conditionsOf(object), async ({ type, status, reason, message }) => ({
      ...{ type, status },
      ...(reason !== '' && { reason: shortened(await redact(reason)) }),
      ...(message !== '' && { message: shortened(await redact(message)) }),
    }));
    const related = await listRelatedObjects(cluster, object, signal);
    const { replicaSets, pods, events } = related;
    const byObject = eventsByObject(events);
    const about = [object, ...replicaSets, ...pods].flatMap(({ metadata: { uid } }) => byObject.get(uid) ?? []);
    evidence.events = await lastEvents(about, redact);
    const unready = currentPods(object, related).filter((pod) => !conditionOf(pod, 'Ready', 'True'));
    evidence.pods = await forEach(unready.slice(0, maxPods), (pod) => podEvidence(pod, options));
  } catch {
    // the operation fails for another reason, which is reported
  }
  return evidence;
}

async function lastEvents(events: readonly KubeObject[], redact: RedactText): Promise<EventEvidence[]> {
  const timed = events.map((event) => ({ event, time: eventTime(event) }));
  const sorted = timed.sort((a, b) => a.time - b.time);
  return await forEach(sorted.slice(-maxEvents), async ({ event, time }) => {
    const about = [stringAt(event, 'involvedObject', 'kind'), stringAt(event, 'involvedObject', 'name')];
    return {
      ...(time > 0 && { time: new Date(time).toISOString() }),
      type: stringAt(event, 'type') ?? '',
      reason: shortened(await redact(stringAt(event, 'reason') ?? '')),
      message: shortened(await redact((stringAt(event, 'message') ?? '').trim())),
      count: timesSeen(event),
      object: about.join('/'),
    };
  });
}

async function podEvidence(pod: KubeObject, options: EvidenceOptions): Promise<PodEvidence> {
  const { name } = pod.metadata;
  return { name, phase: stringAt(pod, 'status', 'phase') ?? '', containers: await containerEvidence(pod, options) };
}

function shortened(text: string): string {
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength).toWellFormed()}…` : text;
}

const tailLines = 50;

/** Containers of a pod, those first that do not run well. */
const maxContainers = 20;

/** UTF-16 units of the end of a log that are read. */
const longestLog = 64 * 1024;

interface LogOptions {
  cluster: Pick<Cluster, 'podLog'>;
  redact: RedactText;
  signal: AbortSignal;
}

/** Returns the states and logs of the containers of a pod, the init containers first if all fit. */
async function containerEvidence(pod: KubeObject, options: LogOptions): Promise<ContainerEvidence[]> {
  const statuses = [...listAt(pod, 'status', 'initContainerStatuses'), ...listAt(pod, 'status', 'containerStatuses')];
  const shown = statuses.length > maxContainers ? statuses.sort(byHealth).slice(0, maxContainers) : statuses;
  return await forEach(shown, (status) => containerEvidenceOf(pod, status, options));
}

/** Sorts containers, those first that are not ready and have not succeeded. */
function byHealth(a: unknown, b: unknown): number {
  return Number(isHealthy(a)) - Number(isHealthy(b));
}

function isHealthy(status: unknown): boolean {
  return fieldAt(status, 'ready') === true || fieldAt(status, 'state', 'terminated', 'exitCode') === 0;
}

async function containerEvidenceOf(pod: KubeObject, status: unknown, options: LogOptions): Promise<ContainerEvidence> {
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

/** Replaces secrets in a text. */
export type RedactText = (text: string) => Promise<string>;

/** UTF-16 units before the end of a log, in which a secret can begin that is cut off. */
const margin = 4 * longestSecret;

/** Returns at most the last `length` UTF-16 units of a log, without the rest of a secret. */
export async function endOfLog(log: string, length: number, redact: RedactText): Promise<string> {
  if (log.length <= length) return await redact(log);
  const redacted = await redact(log.slice(-(length + margin)));
  // the text does not become longer, so this leaves out at least the margin
  return redacted.slice(margin).toWellFormed();
}
