import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../../errors/index.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { fieldAt, objectAt, objectsAt, stringAt } from '../../objects/fields.ts';
import { groupOf } from '../../objects/group-kind.ts';
import { parseLabelSelector } from '../../objects/label-selector.ts';
import type { KubeObject, ServedKind } from '../../objects/object.ts';
import { quantityOf } from '../../objects/quantity.ts';
import { operationOf } from '../command-operation.ts';
import { compareTexts } from '../compare-texts.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import type { AnswerOf, RequestOf } from '../request.ts';
import { checkNamespace } from '../steps/names.ts';
import { podsOfRelease } from './pods-of.ts';

const metricsGroup = 'metrics.k8s.io';

const defaultMax = 1000;

/** Most containers of a pod, and most pods without metrics that are named. */
const maxContainers = 100;
const maxNamed = 20;

/** Number of objects that are read at once. */
const perTurn = 1000;

/** Longest name of a container in an answer. */
const maxNameLength = 253;

type Request = RequestOf<'top'>;
type Usage = AnswerOf<'top'>['usage'][number];
type Used = Pick<Usage, 'millicores' | 'memoryBytes'>;

/**
 * Returns the CPU and memory that pods or nodes use. Throws `unsupported` if the cluster has no
 * metrics API, `bad_payload` for fields that do not fit together, `bad_request` for a selector, and
 * `release_not_found`.
 */
export async function top(context: OperationContext, request: Request): Promise<AnswerOf<'top'>> {
  const { kind = 'pods', namespace, selector, sortBy = 'name', max = defaultMax } = request;
  const isOfNodes = kind.startsWith('no');
  requireConsistent(request, isOfNodes);
  if (namespace !== undefined) checkNamespace(namespace);
  if (selector !== undefined) parseLabelSelector(selector);
  const { apiVersion, kind: metricsKind } = await metricsKindOf(context, isOfNodes ? 'NodeMetrics' : 'PodMetrics');
  const { cluster, signal } = context;
  const missing: string[] = [];
  const ofRelease = await podsOf(context, request);
  const metrics = await cluster.list(
    {
      ...{ apiVersion, kind: metricsKind },
      ...(!isOfNodes && namespace !== undefined && { namespace }),
      ...(selector !== undefined && { labelSelector: selector }),
    },
    signal,
  );
  const wanted = ofRelease === undefined ? metrics : metrics.filter(({ metadata }) => ofRelease.has(metadata.name));
  const found = await inTurns(wanted, isOfNodes ? nodeUsage : podUsage);
  const all = isOfNodes ? await withAllocatable(context, found, missing) : found;
  missing.push(...withoutMetrics(ofRelease, metrics));
  const usage = all.sort(orderBy(sortBy)).slice(0, max);
  return {
    usage,
    ...(all.length > max && { omitted: all.length - max }),
    ...(missing.length > 0 && { missing }),
  };
}

function requireConsistent({ namespace, releaseName, selector }: Request, isOfNodes: boolean): void {
  if (releaseName === undefined) return;
  if (isOfNodes) throw new OperationError('bad_payload', 'releaseName: nodes belong to no release');
  if (selector !== undefined) throw new OperationError('bad_payload', 'selector: give either a selector or a release');
  if (namespace === undefined) throw new OperationError('bad_payload', 'namespace: name that of the release');
}

/** Returns a kind of the metrics API. Throws `unsupported`, and `denied_by_policy`. */
async function metricsKindOf(
  { cluster, policy, signal }: OperationContext,
  wanted: 'NodeMetrics' | 'PodMetrics',
): Promise<ServedKind> {
  policy?.requireRead({ apiVersion: 'v1', kind: wanted === 'NodeMetrics' ? 'Node' : 'Pod' });
  const kinds = await cluster.servedKinds(signal);
  const served = kinds.find(({ apiVersion, kind }) => kind === wanted && groupOf(apiVersion) === metricsGroup);
  if (served === undefined) {
    throw new OperationError(
      'unsupported',
      `the cluster does not serve the metrics API (${metricsGroup}); install metrics-server in it or, if it is installed, see why it is not available: get_object apiservice v1beta1.${metricsGroup}`,
    );
  }
  policy?.requireRead(served);
  return served;
}

/** Returns the pods of the release of a request, by name, if it names one. */
async function podsOf(
  context: OperationContext,
  { namespace, releaseName }: Request,
): Promise<ReadonlyMap<string, KubeObject> | undefined> {
  if (releaseName === undefined || namespace === undefined) return undefined;
  const { cluster, signal } = context;
  const isOf = await podsOfRelease(context, { namespace, releaseName });
  const pods = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace }, signal);
  return new Map(pods.filter(isOf).map((pod) => [pod.metadata.name, pod]));
}

/** Returns a reason for each pod of a release that runs, and has no metrics. */
function withoutMetrics(pods: ReadonlyMap<string, KubeObject> = new Map(), metrics: readonly KubeObject[]): string[] {
  const measured = new Set(metrics.map(({ metadata }) => metadata.name));
  return [...pods]
    .filter(([name, pod]) => !measured.has(name) && stringAt(pod, 'status', 'phase') === 'Running')
    .slice(0, maxNamed)
    .map(([name]) => `Pod ${name} has no metrics yet`);
}

/** Returns what is made of each object, without keeping others waiting for long. */
async function inTurns<Item, Result>(items: readonly Item[], make: (item: Item) => Result): Promise<Result[]> {
  const made: Result[] = [];
  for (const item of items) {
    made.push(make(item));
    if (made.length % perTurn === 0) await setImmediate();
  }
  return made;
}

function podUsage(metrics: KubeObject): Usage {
  const { name, namespace } = metrics.metadata;
  const containers = objectsAt(metrics, 'containers')
    .slice(0, maxContainers)
    .map((one) => ({ name: (stringAt(one, 'name') ?? '').slice(0, maxNameLength), ...usedIn(objectAt(one, 'usage')) }));
  return {
    ...(namespace !== undefined && { namespace }),
    name,
    ...sumOf(containers),
    containers,
  };
}

function nodeUsage(metrics: KubeObject): Usage {
  return { name: metrics.metadata.name, ...usedIn(objectAt(metrics, 'usage')) };
}

/** Reads quantities, which can be anything. */
function usedIn(usage: object): Used {
  const [cpu, memory] = [quantityOf(fieldAt(usage, 'cpu')), quantityOf(fieldAt(usage, 'memory'))];
  return {
    ...(cpu !== undefined && cpu >= 0 && { millicores: Math.ceil(cpu * 1000) }),
    ...(memory !== undefined && memory >= 0 && { memoryBytes: Math.ceil(memory) }),
  };
}

/** Adds up what is known of each container. Unknown if it is of none. */
function sumOf(containers: readonly Used[]): Used {
  const sum = (name: keyof Used) => {
    const known = containers.flatMap((one) => one[name] ?? []);
    return known.length === 0 ? undefined : known.reduce((total, one) => total + one, 0);
  };
  const [millicores, memoryBytes] = [sum('millicores'), sum('memoryBytes')];
  return { ...(millicores !== undefined && { millicores }), ...(memoryBytes !== undefined && { memoryBytes }) };
}

/** Adds what pods can use of nodes, if nodes can be read. */
async function withAllocatable(
  { cluster, signal }: OperationContext,
  nodes: readonly Usage[],
  missing: string[],
): Promise<Usage[]> {
  try {
    const live = await cluster.list({ apiVersion: 'v1', kind: 'Node' }, signal);
    const byName = new Map(live.map((node) => [node.metadata.name, usedIn(objectAt(node, 'status', 'allocatable'))]));
    return nodes.map((node) => {
      const allocatable = byName.get(node.name);
      return { ...node, ...(allocatable && { allocatable }) };
    });
  } catch (error) {
    signal.throwIfAborted();
    if (hasClusterErrorCode(error, 'unreachable')) throw error;
    missing.push(messageOf(error));
    return [...nodes];
  }
}

function orderBy(sortBy: 'name' | 'cpu' | 'memory'): (a: Usage, b: Usage) => number {
  const field = sortBy === 'cpu' ? 'millicores' : 'memoryBytes';
  return (a, b) => {
    const largest = sortBy === 'name' ? 0 : (b[field] ?? -1) - (a[field] ?? -1);
    return largest || compareTexts(a.namespace ?? '', b.namespace ?? '') || compareTexts(a.name, b.name);
  };
}

export const operation = operationOf('top', {
  request: (payload) => payload,
  run: top,
  answer: (answer) => answer,
});
