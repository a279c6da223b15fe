import { type Access, accessText } from '../../objects/access.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { groupOf } from '../../objects/group-kind.ts';
import type { ObjectRef } from '../../objects/object.ts';
import type { Hook } from '../../release/hook.ts';
import { withOwners } from '../apply/ownership.ts';
import { type ReleaseObject, subtractObjects } from '../apply/release-object.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import type { PreviewRequest } from '../request.ts';
import { type OperationState, revisionOf } from '../state/operation-state.ts';
import type { Work } from '../work.ts';
import { requireAllowed } from './allowed-objects.ts';

/** The objects that an operation changes. */
export interface ChangedObjects {
  /** The objects of the new revision. */
  objects: readonly ReleaseObject[];
  /** Those of the revisions that it starts from. */
  old: readonly ReleaseObject[];
  /** Hooks of the revision. Default: none runs. */
  hooks?: readonly Hook[];
}

/** Number of rights that an error names. */
const maxNamed = 20;

/**
 * Throws `denied_by_policy` if the policy does not allow the changes, and `forbidden`, with the
 * verbs and the resources, if the account of the operation has no right to them. Does not ask for
 * the agent itself, because that would cost requests. Notes the rights for a plan. Returns the
 * outcome of `check`, which runs at the same time.
 */
export async function requireAccess<Result>(
  state: OperationState,
  work: Work<PreviewRequest>,
  { cluster, signal, ...changed }: ChangedObjects & { cluster: Cluster; signal: AbortSignal },
  check: () => Promise<Result>,
): Promise<Result> {
  const { context, request, cache } = work;
  const { objects, old, hooks = [] } = changed;
  const removed = subtractObjects(old, objects);
  const { releaseName: name, namespace } = state;
  const written = withOwners(objects, { name, namespace });
  await requireAllowed(context, { objects: written, removed, hooks, namespace }, signal);
  if (!needsAccess(work)) return await check();
  const needed = [
    ...recordAccess(context, state.namespace, ['create', 'update']),
    ...(await objectAccess(state, work, cluster, changed, signal)),
  ];
  if (request.preview === 'plan') cache.access = needed;
  const [granted, checked] = await Promise.allSettled([requireGranted(context, needed, signal), check()]);
  if (granted.status === 'rejected') throw granted.reason; // it names all rights
  if (checked.status === 'rejected') throw checked.reason;
  return checked.value;
}

/** The objects of an operation that applies none. */
interface UsedObjects {
  /** Objects that are deleted. */
  removed: readonly ReleaseObject[];
  /** Hooks that run. */
  hooks: readonly Hook[];
  /** Writes to the revisions of the release. */
  records: readonly ('update' | 'delete')[];
}

/** Does the same as {@link requireAccess} for an operation that applies no objects. */
export async function requireAccessTo(
  state: OperationState,
  work: Work<PreviewRequest>,
  { removed, hooks, records }: UsedObjects,
  signal: AbortSignal,
): Promise<void> {
  if (!needsAccess(work)) return;
  const { context, request, cache } = work;
  const wanted = [...removalsOf(removed), ...(await creationsOf(state, context, hooks, signal))];
  const needed = [
    ...recordAccess(context, state.namespace, records),
    ...(await accessTo(wanted, state, context.cluster, signal)),
  ];
  if (request.preview === 'plan') cache.access = needed;
  await requireGranted(context, needed, signal);
}

/** Whether the rights of an operation are checked, or are a part of its plan. */
export function needsAccess({ context, request }: Work<PreviewRequest>): boolean {
  return request.preview === 'plan' || (context.access !== undefined && request.dryRun !== true);
}

/** Throws `forbidden` if the account may not apply the CRDs of a chart. */
export async function requireCrdAccess(context: OperationContext, signal: AbortSignal): Promise<void> {
  const crds = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
  await requireGranted(context, [{ verb: 'create', ...crds }], signal);
}

async function requireGranted(
  { account, access }: OperationContext,
  needed: readonly Access[],
  signal: AbortSignal,
): Promise<void> {
  const missing = (await access?.missing(needed, signal)) ?? [];
  if (missing.length === 0) return;
  const texts = [...new Set(missing.map(accessText))];
  const rest = texts.length > maxNamed ? `; and ${texts.length - maxNamed} more` : '';
  throw new OperationError(
    'forbidden',
    `${account === undefined ? 'the agent' : `the service account ${account}`} lacks rights, so nothing was changed: ${texts.slice(0, maxNamed).join('; ')}${rest}; helm-agent rights prints roles with them`,
  );
}

function recordAccess({ storage }: OperationContext, namespace: string, verbs: readonly Access['verb'][]): Access[] {
  const { resource = 'secrets' } = storage;
  return verbs.map((verb) => ({ verb, group: '', resource, namespace }));
}

/** An object, and the rights to it that an operation needs. */
interface Wanted {
  ref: ObjectRef;
  verbs: readonly Access['verb'][];
}

async function objectAccess(
  state: OperationState,
  { context }: Work<unknown>,
  cluster: Cluster,
  { objects, old, hooks = [] }: ChangedObjects,
  signal: AbortSignal,
): Promise<Access[]> {
  const { action, apply } = revisionOf(state);
  const events: readonly string[] = [`pre-${action}`, `post-${action}`];
  const running = hooks.filter((hook) => hook.events.some((event) => events.includes(event)));
  const added = subtractObjects(objects, old);
  const isNew = new Set(added);
  const forNew: Access['verb'][] = apply.method === 'ssa' ? ['get', 'create', 'patch'] : ['get', 'create'];
  const wanted: Wanted[] = [
    ...objects.map((object) => ({ ref: object.ref, verbs: isNew.has(object) ? forNew : (['patch'] as const) })),
    ...removalsOf(subtractObjects(old, objects)),
    ...(await creationsOf(state, context, running, signal)),
  ];
  return await accessTo(wanted, state, cluster, signal);
}

function removalsOf(objects: readonly ReleaseObject[]): Wanted[] {
  return objects.map(({ ref }) => ({ ref, verbs: ['get', 'delete'] }));
}

async function creationsOf(
  state: OperationState,
  { renderer }: OperationContext,
  hooks: readonly Hook[],
  signal: AbortSignal,
): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  for (const { manifest } of hooks) {
    for (const { object } of await renderer.readObjects(manifest, '', signal)) {
      const { apiVersion, kind, metadata } = object;
      const { namespace = state.namespace, name } = metadata;
      wanted.push({ ref: { apiVersion, kind, name, namespace }, verbs: ['create'] });
    }
  }
  return wanted;
}

async function accessTo(
  wanted: readonly Wanted[],
  state: OperationState,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Access[]> {
  const needed: Access[] = [];
  for (const { ref, verbs } of wanted) {
    const kind = await servedKind(cluster, ref, signal);
    if (kind === undefined) continue; // of a hook, or of a CRD that does not exist yet
    const namespace = kind.namespaced ? (ref.namespace ?? state.namespace) : undefined;
    const name = ref.name === '' ? undefined : ref.name;
    for (const verb of verbs)
      needed.push({ verb, group: groupOf(ref.apiVersion), resource: kind.resource, namespace, name });
  }
  return needed;
}

async function servedKind(cluster: Cluster, { apiVersion, kind }: ObjectRef, signal: AbortSignal) {
  try {
    return await cluster.resourceKind(apiVersion, kind, signal);
  } catch (error) {
    if (!hasClusterErrorCode(error, 'unknown_kind')) throw error;
    return undefined;
  }
}
