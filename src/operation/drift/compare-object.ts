import { messageOf } from '../../errors/index.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { fieldAt, isJsonObject, numberAt, stringAt } from '../../objects/fields.ts';
import { groupKind } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { type Drift, maxDriftFields } from '../../protocol/drift.ts';
import { isStopped } from '../act/stopped-workload.ts';
import { applyStrategy } from '../apply/apply-strategy.ts';
import { needsMigration } from '../apply/field-ownership.ts';
import type { ReleaseObject } from '../apply/release-object.ts';
import type { ApplyStrategy, ApplyTools } from '../apply/strategy.ts';
import { fieldManager } from '../apply/write.ts';
import { type ChangeAt, changesBetween, type PathPart, pathText } from '../diff/field-changes.ts';
import { comparable, isSecret } from '../diff/object-changes.ts';
import { dryRunCluster } from '../diff/preview.ts';
import { autoscalersIn, scales } from '../objects/autoscalers.ts';
import type { Baseline } from './baseline.ts';
import { managerOf } from './field-manager.ts';
import { ignoredOf, type IgnoreRule, type Pointer, withLiveFields } from './ignored-fields.ts';

/** An object of a release beside the one in the cluster. */
export interface Compared {
  item: ReleaseObject;
  live: KubeObject | undefined;
  /** The object to apply: ignored fields have their live values. */
  wanted: KubeObject;
  /** Undefined if nothing differs. Secrets in its texts are not redacted. */
  drift: Drift | undefined;
}

/** UTF-16 units of a value that are shown. */
const maxValue = 500;

const replicas: Pointer = ['spec', 'replicas'];

/**
 * Compares an object of a release with the one in the cluster: asks the API server by a dry run
 * what applying the object would change of it, among the fields that the release sets.
 */
export async function compareObject(
  item: ReleaseObject,
  { settings }: Pick<Baseline, 'settings'>,
  rules: readonly IgnoreRule[],
  { cluster, signal, report }: ApplyTools,
): Promise<Compared> {
  const { ref } = item;
  const pointers = ignoredOf(rules, ref, item.object);
  const same = { item, wanted: item.object, live: undefined, drift: undefined };
  if (pointers.some(({ length }) => length === 0)) return same;
  try {
    const live = await cluster.get(ref, signal);
    if (live === undefined) return expires(item.object) ? same : { ...same, drift: driftOf(ref, 'deleted') };
    if (live.metadata.deletionTimestamp !== undefined) return { ...same, live };
    const tools = { cluster: dryRunCluster(cluster), signal, report };
    const strategy = strategyFor(live, settings, tools);
    const ignored = [...pointers, ...setByOthers(live)];
    const first = await differencesOf({ ...same, live }, ignored, strategy);
    const isScaled = first.changes.some(({ parts }) => pathText(parts) === 'spec.replicas');
    const { wanted, changes } =
      isScaled && (await isAutoscaled(cluster, ref, signal))
        ? await differencesOf({ ...same, live }, [...ignored, replicas], strategy)
        : first;
    const drift = changes.length === 0 ? undefined : changedDrift(ref, live, changes);
    return { item, live, wanted, drift };
  } catch (error) {
    signal.throwIfAborted();
    if (hasClusterErrorCode(error, 'unreachable')) throw error;
    return { ...same, drift: { ...driftOf(ref, 'unknown'), reason: messageOf(error) } };
  }
}

/**
 * Returns the strategy that brings a live object back. A dry run cannot turn fields into those of
 * server-side apply first; a patch has the same effect.
 */
function strategyFor(live: KubeObject, settings: Baseline['settings'], tools: ApplyTools): ApplyStrategy {
  const isUnmigrated = settings.method === 'ssa' && needsMigration(live, fieldManager);
  return applyStrategy(isUnmigrated ? { method: 'csa' } : settings, tools, { mergesCustomResources: true });
}

async function differencesOf(
  { item, live }: { item: ReleaseObject; live: KubeObject },
  ignored: readonly Pointer[],
  strategy: ApplyStrategy,
): Promise<{ wanted: KubeObject; changes: ChangeAt[] }> {
  const wanted = withLiveFields(item.object, live, ignored);
  const applied = await strategy.update({ original: item.object, item: { ...item, object: wanted }, live });
  const found = changesBetween(comparable(live), comparable(applied));
  // a webhook may add another text each time; only what an apply sets or removes is of the release
  return { wanted, changes: found.filter(({ parts, after }) => after === undefined || isSet(wanted, parts)) };
}

/** Whether the object of a release sets a field, or the whole list that it is in. */
function isSet(wanted: unknown, parts: readonly PathPart[]): boolean {
  let value = wanted;
  for (const part of parts) {
    if (Array.isArray(value)) {
      const items: readonly unknown[] = value;
      value =
        typeof part === 'object' ? items.find((item) => stringAt(item, 'name') === part.name) : items[Number(part)];
      if (value === undefined) return true;
    } else if (isJsonObject(value)) {
      if (typeof part !== 'string' || !Object.hasOwn(value, part)) return false;
      value = value[part];
    } else {
      return true;
    }
  }
  return true;
}

/** Whether the cluster deletes the object when it has ended. */
function expires(object: KubeObject): boolean {
  return groupKind(object) === 'batch/Job' && numberAt(object, 'spec', 'ttlSecondsAfterFinished') !== undefined;
}

/** Returns the fields that controllers set, and those that `stop_release` has changed. */
function setByOthers(live: KubeObject): Pointer[] {
  const kind = groupKind(live);
  if (kind === 'rbac.authorization.k8s.io/ClusterRole' && fieldAt(live, 'aggregationRule') !== undefined) {
    return [['rules']];
  }
  return isStopped(live) ? [replicas, ['spec', 'suspend'], ['spec', 'template', 'spec', 'nodeSelector']] : [];
}

/** Whether an autoscaler sets the replicas of a workload, also if that cannot be found out. */
async function isAutoscaled(cluster: Cluster, ref: ObjectRef, signal: AbortSignal): Promise<boolean> {
  const { namespace } = ref;
  if (namespace === undefined) return false;
  const autoscalers = await autoscalersIn(cluster, namespace, signal);
  return autoscalers?.some((autoscaler) => scales(autoscaler, ref)) ?? true;
}

export function driftOf({ apiVersion, kind, namespace, name }: ObjectRef, change: Drift['change']): Drift {
  return { change, apiVersion, kind, ...(namespace !== undefined && { namespace }), name };
}

function changedDrift(ref: ObjectRef, live: KubeObject, changes: readonly ChangeAt[]): Drift {
  const omitted = changes.length - maxDriftFields;
  const fields = changes.slice(0, maxDriftFields).map(({ parts, before, after }) => ({
    path: shortened(pathText(parts)),
    ...(before !== undefined && { found: shownValue(ref, parts, before) }),
    ...(after !== undefined && { wanted: shownValue(ref, parts, after) }),
    ...managerOf(live, parts),
  }));
  return { ...driftOf(ref, 'changed'), fields, ...(omitted > 0 && { omitted }) };
}

function shownValue(ref: ObjectRef, [first]: readonly PathPart[], value: unknown): unknown {
  if (isSecret(ref) && (first === 'data' || first === 'stringData')) return '***';
  if (typeof value === 'string') return shortened(value);
  const text = JSON.stringify(value);
  return text.length > maxValue ? shortened(text) : value;
}

function shortened(text: string): string {
  return text.length > maxValue ? `${text.slice(0, maxValue)}…`.toWellFormed() : text;
}
