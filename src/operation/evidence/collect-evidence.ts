import type { Cluster } from '../../objects/cluster.ts';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { conditionOf, conditionsOf } from '../../readiness/conditions.ts';
import { currentPods } from '../../readiness/current-pods.ts';
import { eventsOf, eventTime, timesSeen } from '../../readiness/surroundings.ts';
import { forEach } from '../apply/concurrency.ts';
import type { ResourceStatus } from '../resource-status.ts';
import { listSurroundings } from '../wait/surroundings-list.ts';
import { containerEvidence } from './container-evidence.ts';
import type { EventEvidence, Evidence, PodEvidence, ResourceEvidence } from './evidence.ts';
import type { Redact } from './redaction.ts';

const maxResources = 20;
const maxPods = 3;
const maxEvents = 20;
const maxMessageLength = 1000;

export interface EvidenceOptions {
  cluster: Cluster;
  redact: Redact;
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
  if (resource.reason !== undefined) evidence.reason = redact(resource.reason);
  try {
    const object = await cluster.get(resource, signal);
    if (object === undefined) return evidence;
    evidence.conditions = conditionsOf(object).map(({ type, status, reason, message }) => ({
      ...{ type, status },
      ...(reason !== '' && { reason }),
      ...(message !== '' && { message: shortened(redact(message)) }),
    }));
    const surroundings = await listSurroundings(cluster, object, signal);
    const { replicaSets, pods, events } = surroundings;
    const about = [object, ...replicaSets, ...pods].flatMap((one) => eventsOf(events, one));
    evidence.events = lastEvents(about, redact);
    const unready = currentPods(object, surroundings).filter((pod) => !conditionOf(pod, 'Ready', 'True'));
    evidence.pods = await forEach(unready.slice(0, maxPods), (pod) => podEvidence(pod, options));
  } catch {
    // the operation fails for another reason, which is reported
  }
  return evidence;
}

function lastEvents(events: readonly KubeObject[], redact: Redact): EventEvidence[] {
  const sorted = events.toSorted((a, b) => eventTime(a) - eventTime(b));
  return sorted.slice(-maxEvents).map((event) => {
    const time = eventTime(event);
    const about = [stringAt(event, 'involvedObject', 'kind'), stringAt(event, 'involvedObject', 'name')];
    return {
      ...(time > 0 && { time: new Date(time).toISOString() }),
      type: stringAt(event, 'type') ?? '',
      reason: stringAt(event, 'reason') ?? '',
      message: shortened(redact((stringAt(event, 'message') ?? '').trim())),
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
