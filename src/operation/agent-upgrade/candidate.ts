import type { Cluster } from '../../objects/cluster.ts';
import { fieldAt, integerAt, listAt, objectAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { problems } from '../../protocol/problem-codes.ts';
import { conditionOf, podProblem } from '../../readiness/index.ts';
import type { Trial } from './trial.ts';

/** The agent as it is in the cluster during an upgrade. */
export interface Candidate {
  /** Whether all pods are those of the Deployment as it is now. */
  isRolledOut: boolean;
  /** Whether the containers of the new pods run, so that these may soon work. */
  isRunning?: boolean;
  /** The run of the agent that holds the Lease. Undefined if no pod of the agent does. */
  leader?: Leader;
  /** The pod that is being deleted and still holds the Lease, so that no other one can lead. */
  stopping?: string;
  /** Why a pod of the new version will not work. */
  problem?: string;
  /** The first thing that is not as it should be. Undefined if there is nothing. */
  waitsFor?: string;
}

interface Leader {
  /** Differs for each process, and for each start of its container. */
  run: string;
  pod: string;
  image: string;
  /** Whether it is connected to the control plane, and can use the API server and its journal. */
  isReady: boolean;
}

/** Runs of a container that must have failed until it counts as one that crashes. */
const maxFailures = 2;

/** Characters of a text of the cluster that are shown. */
const maxText = 600;

type CandidateCluster = Pick<Cluster, 'get' | 'list'>;

/** Looks at the agent. */
export async function lookAtCandidate(
  cluster: CandidateCluster,
  { namespace, deployment: name, lease: leaseName, oldTemplate }: Trial,
  signal?: AbortSignal,
): Promise<Candidate> {
  const [deployment, lease] = await Promise.all([
    cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name }, signal),
    cluster.get({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name: leaseName }, signal),
  ]);
  if (deployment === undefined) {
    return { isRolledOut: false, problem: `the Deployment ${name} does not exist any more` };
  }
  const pods = await cluster.list(
    { apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: selectorOf(deployment) },
    signal,
  );
  return candidateOf({ deployment, lease, pods, oldTemplate });
}

/** Returns the selector of the pods of a Deployment that selects by labels alone, as ours does. */
function selectorOf(deployment: KubeObject): string {
  const labels = Object.entries(objectAt(deployment, 'spec', 'selector', 'matchLabels'));
  return labels.map(([label, value]) => `${label}=${String(value)}`).join(',');
}

/** Judges the agent by its Deployment, its Lease and its pods. */
export function candidateOf({
  deployment,
  lease,
  pods,
  oldTemplate,
}: {
  deployment: KubeObject;
  lease: KubeObject | undefined;
  pods: readonly KubeObject[];
  oldTemplate: string;
}): Candidate {
  const present = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const ending = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const isRolledOut = rolledOut(deployment);
  const holder = stringAt(lease, 'spec', 'holderIdentity') ?? '';
  const isHolder = ({ metadata }: KubeObject) => holder.startsWith(`${metadata.name}_`);
  const pod = present.find(isHolder);
  const leader = pod && leaderOf(pod, holder);
  const stopping = ending.find(isHolder)?.metadata.name;
  const fresh = present.filter(({ metadata }) => metadata.labels?.['pod-template-hash'] !== oldTemplate);
  const problem = fresh.map(hopelessProblem).find((text) => text !== undefined);
  return {
    isRolledOut,
    ...(fresh.length > 0 && fresh.every(isRunning) && { isRunning: true }),
    ...(leader && { leader }),
    ...(stopping !== undefined && { stopping }),
    ...(problem !== undefined && { problem }),
    ...whatIsMissing(isRolledOut, leader, stopping, fresh),
  };
}

function rolledOut(deployment: KubeObject): boolean {
  const wanted = integerAt(deployment, 'spec', 'replicas') ?? 1;
  const count = (name: string) => integerAt(deployment, 'status', name) ?? 0;
  return (
    count('observedGeneration') >= (deployment.metadata.generation ?? 0) &&
    count('updatedReplicas') >= wanted &&
    count('replicas') === count('updatedReplicas')
  );
}

function leaderOf(pod: KubeObject, holder: string): Leader {
  const statuses = listAt(pod, 'status', 'containerStatuses');
  const runs = statuses.map((status) => {
    const started = stringAt(status, 'state', 'running', 'startedAt') ?? '';
    return `${integerAt(status, 'restartCount') ?? 0} ${started}`;
  });
  const [container] = listAt(pod, 'spec', 'containers');
  return {
    run: [holder, ...runs].join(' '),
    pod: pod.metadata.name,
    image: stringAt(container, 'image') ?? '',
    isReady: conditionOf(pod, 'Ready', 'True') !== undefined,
  };
}

function isRunning(pod: KubeObject): boolean {
  const statuses = listAt(pod, 'status', 'containerStatuses');
  return statuses.length > 0 && statuses.every((status) => fieldAt(status, 'state', 'running') !== undefined);
}

/** Returns why a pod will not work, if that is certain enough to end the trial. */
function hopelessProblem(pod: KubeObject): string | undefined {
  const crashes = crashesOf(pod);
  if (crashes !== undefined) return `pod ${pod.metadata.name} crashes: ${crashes}`;
  const problem = podProblem(pod, []);
  if (problem === undefined || problem.code === 'crash_loop') return undefined;
  const isFatal = problems[problem.code].class === 'fatal';
  return isFatal ? `pod ${pod.metadata.name}: ${oneLine(problem.text)}` : undefined;
}

/** Describes the crashes of a container, also of one that runs again. */
function crashesOf(pod: KubeObject): string | undefined {
  for (const status of listAt(pod, 'status', 'containerStatuses')) {
    const isOver = fieldAt(status, 'state', 'running') === undefined;
    const last = fieldAt(status, 'state', 'terminated') ?? fieldAt(status, 'lastState', 'terminated');
    const failures = (integerAt(status, 'restartCount') ?? 0) + (isOver ? 1 : 0);
    if (last === undefined || failures < maxFailures) continue;
    const message = oneLine((stringAt(last, 'message') ?? '').slice(-maxText)); // the error is at the end
    const exit = `exit code ${integerAt(last, 'exitCode') ?? 0} (${oneLine(stringAt(last, 'reason') ?? 'Error')})`;
    return `${failures} runs have ended, the last one with ${exit}${message === '' ? '' : `: ${message}`}`;
  }
  return undefined;
}

/** Returns the beginning of a text of the cluster, as one line. */
function oneLine(text: string): string {
  return text
    .slice(0, maxText)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .trim();
}

function whatIsMissing(
  isRolledOut: boolean,
  leader: Leader | undefined,
  stopping: string | undefined,
  fresh: readonly KubeObject[],
): Pick<Candidate, 'waitsFor'> {
  const unready = fresh.map((pod) => ({ pod, problem: podProblem(pod, []) })).find(({ problem }) => problem);
  const reason = unready && `pod ${unready.pod.metadata.name} is not ready: ${oneLine(unready.problem?.text ?? '')}`;
  if (!isRolledOut) return { waitsFor: reason ?? 'the new pods are not in place' };
  if (stopping !== undefined) return { waitsFor: `pod ${stopping} is stopping, and still leads` };
  if (leader === undefined) return { waitsFor: reason ?? 'no pod leads' };
  if (leader.isReady) return {};
  return { waitsFor: `pod ${leader.pod} leads and is not ready, so it may not have connected to the control plane` };
}
