import type { ObjectQuery } from '../../objects/cluster.ts';
import { fieldSelectorText } from '../../objects/field-selector.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { managedByLabel } from '../apply/ownership.ts';
import { OperationError } from '../error.ts';
import type { ResourceStatus, ResourceStatusName } from '../progress.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { objectKey, type WatchGroup } from './watch-group.ts';

/** The objects of a wait, and the rules for their statuses. */
export interface StatusWait {
  refs: readonly ObjectRef[];
  /**
   * Whether all objects have Helm's label, as all but hooks do. If so, one watch follows all
   * objects of a kind.
   */
  labelled: boolean;
  wanted: ResourceStatusName;
  /**
   * Identities of objects that are known to have the wanted status. They are not watched. Default:
   * none.
   */
  settled?: ReadonlySet<string>;
  /** Returns the status of an object, which is undefined if it does not exist. */
  statusOf(ref: ObjectRef, object: KubeObject | undefined, previous: ResourceStatus | undefined): ResourceStatus;
  /** Throws if it makes no sense to wait longer. */
  check?(remaining: readonly ResourceStatus[]): void;
  /** Returns a line for the error of an interrupted wait. */
  describe(remaining: ResourceStatus): string;
}

/**
 * Waits until all objects have the wanted status. Reports all statuses at first, then those that
 * change, or whose reason does. When the step's signal aborts, throws an error with the code of its
 * reason and the remaining objects. Fails if the API server refuses a watch.
 */
export async function waitForStatus(watches: WatchGroup, tools: StepTools, wait: StatusWait): Promise<void> {
  const isSettled = (ref: ObjectRef) => wait.settled?.has(identityOf(ref)) === true;
  const open = wait.refs.filter((ref) => !isSettled(ref));
  const lookUp = watchObjects(watches, { ...wait, refs: open });
  let known: ResourceStatus[] = [];
  for (;;) {
    const statuses = wait.refs.map((ref, index): ResourceStatus => {
      if (isSettled(ref)) return { ...ref, status: wait.wanted };
      const object = lookUp(ref);
      return object === 'unknown' ? { ...ref, status: 'Unknown' } : wait.statusOf(ref, object, known[index]);
    });
    if (statuses.every(({ status }) => status !== 'Unknown')) {
      reportChanges(tools, known, statuses);
      known = statuses;
    }
    const remaining = statuses.filter(({ status }) => status !== wait.wanted);
    if (remaining.length === 0) return;
    wait.check?.(remaining);
    await watches.nextChange();
    if (tools.signal.aborted) throw interruption(tools.signal.reason, remaining, wait);
  }
}

/**
 * Watches the objects of a wait and, if the API allows it, no others: one watch for each kind and
 * namespace, or for each object. Returns a function that looks up an object; `unknown` until its
 * watch has listed.
 */
function watchObjects(
  watches: WatchGroup,
  { refs, labelled }: StatusWait,
): (ref: ObjectRef) => KubeObject | undefined | 'unknown' {
  const keyOf = labelled ? groupKey : singleKey;
  const groups = Map.groupBy(refs, keyOf);
  const watchOf = new Map(Array.from(groups, ([key, group]) => [key, watches.watch(queryFor(group))]));
  return (ref) => {
    const watch = watchOf.get(keyOf(ref));
    if (watch?.refusal) throw watch.refusal;
    return watch?.isListed === true ? watch.objects.get(objectKey(ref)) : 'unknown';
  };
}

function queryFor(group: ObjectRef[]): ObjectQuery {
  const [{ apiVersion, kind, namespace, name }] = group as [ObjectRef]; // groups are never empty
  return {
    apiVersion,
    kind,
    ...(namespace !== undefined && { namespace }),
    ...(group.length === 1
      ? { fieldSelector: fieldSelectorText('metadata.name', name) }
      : { labelSelector: `${managedByLabel}=Helm` }),
  };
}

function groupKey({ apiVersion, kind, namespace = '' }: ObjectRef): string {
  return `${apiVersion} ${kind} ${namespace}`;
}

function singleKey(ref: ObjectRef): string {
  return `${groupKey(ref)}/${ref.name}`;
}

function reportChanges(tools: StepTools, known: readonly ResourceStatus[], statuses: readonly ResourceStatus[]): void {
  const changed = statuses.filter(
    ({ status, reason }, index) => status !== known[index]?.status || reason !== known[index].reason,
  );
  if (changed.length > 0) tools.report({ resources: changed });
}

function interruption(reason: unknown, remaining: readonly ResourceStatus[], wait: StatusWait): unknown {
  if (!(reason instanceof OperationError)) return reason;
  const message = [reason.message, ...remaining.map((resource) => wait.describe(resource))].join('\n');
  return new OperationError(reason.code, message, { cause: reason, resources: remaining });
}
