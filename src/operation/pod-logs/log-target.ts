import { objectsAt, stringAt } from '../../objects/fields.ts';
import { groupKind } from '../../objects/group-kind.ts';
import { matchesLabels, parseLabelSelector } from '../../objects/label-selector.ts';
import type { KubeObject } from '../../objects/object.ts';
import { conditionOf } from '../../readiness/index.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { defaultContainerOf } from '../objects/default-container.ts';
import { findNamedObject } from '../objects/find-object.ts';
import { latestJobOf, podsOf, podsOfRelease } from '../objects/pods-of.ts';
import { requirePodRead } from '../objects/served-kind.ts';
import type { RequestOf } from '../request.ts';
import { checkNamespace } from '../steps/names.ts';

type Request = RequestOf<'pod_logs'>;

/** Whose logs are read. */
export interface LogTarget {
  /** For errors, such as `Deployment web`. */
  text: string;
  isOf(pod: KubeObject): boolean;
  /** The only pod, or the Job, with whose end the logs end. Default: they do not end. */
  ends?: { kind: 'Pod' | 'Job'; apiVersion: string; name: string; uid: string | undefined };
}

/**
 * Returns the pods that a request names. Throws `not_found`, `unknown_kind`, `release_not_found`,
 * `bad_request` and `denied_by_policy`.
 */
export async function findLogTarget(context: OperationContext, request: Request): Promise<LogTarget> {
  const { namespace, name, releaseName, selector } = request;
  checkNamespace(namespace);
  requirePodRead(context, 'log');
  if ([name, releaseName, selector].filter((given) => given !== undefined).length !== 1) {
    throw new OperationError(
      'bad_payload',
      'name either a pod, a workload such as deploy/web, a release or a selector',
    );
  }
  if (selector !== undefined) {
    const requirements = parseLabelSelector(selector);
    return { text: `the selector ${selector}`, isOf: ({ metadata }) => matchesLabels(requirements, metadata.labels) };
  }
  if (releaseName !== undefined) {
    return { text: `release ${releaseName}`, isOf: await podsOfRelease(context, { namespace, releaseName }) };
  }
  return await namedTarget(context, namespace, name ?? '');
}

async function namedTarget(context: OperationContext, namespace: string, text: string): Promise<LogTarget> {
  const { ref, object } = await latestJobOf(context, await findNamedObject(context, namespace, text));
  const { name } = ref;
  const { uid } = object.metadata;
  const target = { text: `${ref.kind} ${name}`, isOf: podsOf(object) };
  if (target.isOf === undefined) {
    throw new OperationError('bad_request', `${ref.kind} ${name} has no pods of its own; name one of its pods or Jobs`);
  }
  const ends = groupKind(ref) === 'batch/Job' ? 'Job' : ref.kind === 'Pod' ? 'Pod' : undefined;
  const { apiVersion } = ref;
  return { ...target, isOf: target.isOf, ...(ends && { ends: { kind: ends, apiVersion, name, uid } }) };
}

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'];

/** Returns the names of the containers of a pod that a request names, in the order of the pod. */
export function containersOf(
  pod: KubeObject,
  { container, allContainers = false }: Pick<Request, 'container' | 'allContainers'>,
): string[] {
  const namesIn = (list: string) => objectsAt(pod, 'spec', list).flatMap((one) => stringAt(one, 'name') ?? []);
  const all = containerLists.flatMap(namesIn);
  if (allContainers) return all;
  const wanted = container ?? defaultContainerOf(pod);
  return all.filter((name) => name === wanted);
}

/** Whether what a target waits for has ended: a pod without restarts, or a Job. */
export function hasEnded(object: KubeObject): boolean {
  if (object.kind === 'Job') {
    return (['Complete', 'Failed'] as const).some((type) => conditionOf(object, type, 'True') !== undefined);
  }
  return ['Succeeded', 'Failed'].includes(stringAt(object, 'status', 'phase') ?? '');
}
