import type { Cluster } from '../../objects/cluster.ts';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { conditionOf, conditionsOf, currentPods, eventsByObject, eventTime, timesSeen } from '../../readiness/index.ts';
import { forEach } from '../apply/concurrency.ts';
import type { ResourceStatus } from '../resource-status.ts';
import { listRelatedObjects } from '../wait/related-objects.ts';
import { containerEvidence } from './container-evidence.ts';
import type { EventEvidence, Evidence, PodEvidence, ResourceEvidence } from './evidence.ts';
import type { RedactText } from './log-end.ts';

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
