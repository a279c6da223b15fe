import { messageOf } from '../../errors/index.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { fieldAt, numberAt, objectsAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject, OwnerReference } from '../../objects/object.ts';
import { conditionOf, conditionsOf, type RelatedObjects } from '../../readiness/index.ts';
import { ownerOf } from '../apply/ownership.ts';
import { serverMilliseconds } from '../clock.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { redactedObject } from '../evidence/redacted-object.ts';
import { redactedResources } from '../evidence/redacted-resources.ts';
import { type Redact, redactionOf } from '../evidence/release-redaction.ts';
import type { AnswerOf, RequestOf } from '../request.ts';
import { defaultTimeout } from '../state/deadline.ts';
import { failFastOf, judgeReadiness } from '../wait/judge.ts';
import { listRelatedObjects } from '../wait/related-objects.ts';
import { findObject, releaseOfObject } from './find-object.ts';
import { answeredEvents, newestEvents } from './newest-events.ts';
import { shownObject } from './shown-object.ts';

const maxOwners = 10;
const maxPods = 100;
const maxEvents = 50;
const maxConditions = 100;

type Answer = AnswerOf<'describe_object'>;

/** Returns an object and what belongs to it. Throws `unknown_kind` and `not_found`. */
export async function describeObject(
  context: OperationContext,
  request: RequestOf<'describe_object'>,
): Promise<Answer> {
  const { signal } = context;
  const { ref, object } = await findObject(context, request);
  const missing: string[] = [];
  const { namespace = request.namespace } = object.metadata;
  const [releases, related, owners] = await Promise.all([
    releaseOfObject(object, context),
    relatedTo(context, object, missing),
    ownersOf(context, object),
  ]);
  const redaction = redactionOf(context, releases, { objects: [object, ...related.pods], namespace });
  const { status } = judgeReadiness(ref, object, () => related, {
    now: serverMilliseconds(context),
    toCompletion: ['Job'],
    failFast: failFastOf({}, defaultTimeout),
  });
  const [shownStatus = status] = await redactedResources([status], redaction, signal);
  const release = ownerOf(object);
  return {
    object: { ...(await redactedObject(shownObject(object), redaction.ofPods, signal)) },
    status: shownStatus,
    ...(release && { belongsTo: release }),
    owners,
    conditions: await conditionsShown(object, redaction.ofPods, signal),
    pods: related.pods.map(podSummary),
    events: await answeredEvents(related.events, redaction.ofPods, signal),
    ...(missing.length > 0 && { missing }),
  };
}

/** Reads the ReplicaSets and pods of a workload, and the last events of all of them. */
async function relatedTo(context: OperationContext, object: KubeObject, missing: string[]): Promise<RelatedObjects> {
  const { cluster, signal } = context;
  const bounded: Cluster = {
    ...cluster,
    list: (query, stop) =>
      query.kind === 'Event' ? Promise.resolve([]) : cluster.list({ ...query, most: maxPods }, stop),
  };
  const attempt = async <Result>(run: () => Promise<Result>, otherwise: Result): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      signal.throwIfAborted();
      missing.push(messageOf(error));
      return otherwise;
    }
  };
  const none: RelatedObjects = { replicaSets: [], pods: [], events: [] };
  const related = await attempt(() => listRelatedObjects(bounded, object, signal), none);
  // a cluster-wide object has its events in the namespace default
  const { namespace = 'default', uid } = object.metadata;
  const uids = new Set([uid, ...[...related.replicaSets, ...related.pods].map(({ metadata }) => metadata.uid)]);
  const isWanted = (event: KubeObject) => {
    const involved = fieldAt(event, 'involvedObject', 'uid');
    return typeof involved === 'string' && uids.has(involved);
  };
  const query = { namespace, most: maxEvents, isWanted };
  const { events } = await attempt(() => newestEvents(cluster, query, signal), {
    events: [],
    omitted: 0,
    isIncomplete: false,
  });
  return { ...related, events };
}

/** Returns the controller of an object, the one of that, and so on. */
async function ownersOf({ cluster, signal }: OperationContext, object: KubeObject): Promise<Answer['owners']> {
  const owners: Answer['owners'] = [];
  const { namespace } = object.metadata;
  let next = controllerOf(object);
  while (next !== undefined && owners.length < maxOwners) {
    const { apiVersion, kind, name, uid } = next;
    next = undefined;
    try {
      const { namespaced } = await cluster.resourceKind(apiVersion, kind, signal);
      const place = namespaced && namespace !== undefined ? { namespace } : {};
      const found = await cluster.get({ apiVersion, kind, name, ...place }, signal);
      const exists = found?.metadata.uid === uid;
      owners.push({ apiVersion, kind, name, exists });
      if (exists) next = controllerOf(found);
    } catch {
      signal.throwIfAborted();
      owners.push({ apiVersion, kind, name });
    }
  }
  return owners;
}

function controllerOf({ metadata: { ownerReferences = [] } }: KubeObject): OwnerReference | undefined {
  return ownerReferences.find(({ controller }) => controller === true) ?? ownerReferences[0];
}

async function conditionsShown(object: KubeObject, redact: Redact, signal: AbortSignal): Promise<Answer['conditions']> {
  const conditions = conditionsOf(object).slice(0, maxConditions);
  const texts = await redact(
    conditions.flatMap(({ reason, message }) => [reason, message]),
    signal,
  );
  return conditions.map(({ type, status }, index) => {
    const [reason = '', message = ''] = texts.slice(2 * index, 2 * index + 2);
    return { type, status, ...(reason !== '' && { reason }), ...(message !== '' && { message }) };
  });
}

function podSummary(pod: KubeObject): Answer['pods'][number] {
  const restarts = objectsAt(pod, 'status', 'containerStatuses').map((status) => numberAt(status, 'restartCount') ?? 0);
  return {
    name: pod.metadata.name,
    phase: stringAt(pod, 'status', 'phase') ?? '',
    ready: conditionOf(pod, 'Ready', 'True') !== undefined,
    restarts: restarts.reduce((sum, count) => sum + Math.trunc(count), 0),
  };
}

export const operation = operationOf('describe_object', {
  request: (payload) => payload,
  run: describeObject,
  answer: (answer) => answer,
});
