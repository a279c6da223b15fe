import { codeOf, messageOf } from '../../errors/index.ts';
import type { ObjectQuery } from '../../objects/cluster.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Drift } from '../../protocol/drift.ts';
import { forEach } from '../apply/concurrency.ts';
import type { Owner } from '../apply/ownership.ts';
import type { ReleaseObject } from '../apply/release-object.ts';
import { epochMilliseconds } from '../clock.ts';
import type { OperationContext } from '../context.ts';
import { redactedDrift } from '../evidence/redacted-drift.ts';
import { type Redaction, redactionOf } from '../evidence/release-redaction.ts';
import { checkNamespace, checkReleaseName } from '../steps/names.ts';
import type { StepTools } from '../steps/step-runner.ts';
import type { TrackedObjects } from '../tracker/object-cache.ts';
import { createTracker } from '../tracker/tracker.ts';
import { earliestOf } from '../wait/loop.ts';
import { type ObjectWatches, type WatchGroup, watchObjects, withWatches } from '../wait/watches.ts';
import { type Baseline, isCurrent, readBaseline } from './baseline.ts';
import { type Compared, compareObject, driftOf } from './compare-object.ts';
import type { ReleaseDrift } from './drift-release.ts';
import type { IgnoreRule } from './ignored-fields.ts';

/** An object that differs, once it was put back or not. */
interface Handled {
  drift: Drift;
  /** When to look at it again, in milliseconds since the Unix epoch. Default: when it changes. */
  again?: number;
}

/** Puts an object back, or says why not. */
export type HandleDrift = (found: Compared & { drift: Drift }, baseline: Baseline) => Promise<Handled>;

export interface FollowOptions extends Owner {
  rules: readonly IgnoreRule[];
  /** Called for each object that was changed or deleted. Default: it is only reported. */
  handle?: HandleDrift;
}

/** Shortest and longest pause between two comparisons of an object, in milliseconds. */
const minPause = 1000;
const maxPause = 30_000;

/** Longest pause before an object is compared again that could not be, in milliseconds. */
const maxFailurePause = 5 * 60_000;

/** Pause before a release is read again whose records are not watched, in milliseconds. */
const recordPause = 5000;

/** Pause before a release is read again whose record the watch may show late, in milliseconds. */
const latePause = 1000;

/** Why nothing is known if a watch ends at once. */
const endedEarly = { code: 'cancelled', message: 'the watch ended before all objects were compared' };

/** An object of a release, and what is known about it. */
interface Followed {
  item: ReleaseObject;
  /** The version that was seen. Undefined: none yet. */
  version: string | undefined;
  /** When to compare it, in milliseconds since the Unix epoch. */
  due: number;
  /** When the last comparison has begun, in milliseconds since the Unix epoch. */
  compared: number;
  /** Whether a comparison has ended. */
  isKnown: boolean;
  /** Comparisons in a row, shortly one after the other, that have found nothing new. */
  vain: number;
  /** Comparisons in a row that have failed. */
  failures: number;
  reported: Drift | undefined;
}

/**
 * Reports the objects of the newest revision of a release that differ, and each change, until the
 * step's signal aborts or the release is uninstalled. Waits while an operation works on it. Returns
 * what differs at the end, or why that is not known. Throws `release_not_found` if there is no
 * release.
 */
export async function followDrift(
  context: OperationContext,
  options: FollowOptions,
  tools: StepTools,
): Promise<ReleaseDrift> {
  const { signal } = tools;
  const { cluster } = context;
  const tracker = context.tracker ?? createTracker(cluster);
  let last: ReleaseDrift | undefined;
  let uncompared: ReleaseDrift['uncompared'];
  const release = { namespace: options.namespace, releaseName: options.name };
  checkNamespace(release.namespace); // before anything is watched with the names
  checkReleaseName(release.releaseName, () => `release name is invalid: ${release.releaseName}`);
  for (let said = ''; !signal.aborted;) {
    const next = await withWatches({ ...context, tracker }, signal, async (watches) => {
      const records = watches.watch(recordsOf(options));
      records.all(); // so that each change after this is noticed
      try {
        const baseline = await readBaseline(context, release, signal);
        uncompared = undefined;
        last = await followRevision({ context, options, tools, watches, records }, baseline);
        if (!signal.aborted) await watches.nextChange(latePause);
        return '';
      } catch (error) {
        if (signal.aborted) return '';
        if (codeOf(error) === 'release_not_found' && last !== undefined) return undefined;
        if (codeOf(error) !== 'pending_operation' && codeOf(error) !== 'no_deployed_release') throw error;
        const message = messageOf(error);
        uncompared = { code: codeOf(error) ?? 'internal', message };
        if (message !== said) tools.report({ message });
        await watches.nextChange([...records.all()].length > 0 ? undefined : recordPause);
        return message;
      }
    });
    if (next === undefined) {
      tools.done('the release was uninstalled');
      break;
    }
    said = next;
  }
  const found = last ?? { revision: 0, drift: [], unchanged: 0, uncompared: endedEarly };
  return uncompared === undefined ? found : { ...found, uncompared };
}

/** Selects the records of a release that are Secrets. Those of other drivers are not watched. */
function recordsOf({ namespace, name }: Owner): ObjectQuery {
  return { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: `owner=helm,name=${name}` };
}

interface Following {
  context: OperationContext;
  options: FollowOptions;
  tools: StepTools;
  watches: WatchGroup;
  records: TrackedObjects;
}

/** Follows the objects of a revision until it is no longer the newest one. */
async function followRevision(following: Following, baseline: Baseline): Promise<ReleaseDrift> {
  const { context, tools, watches, records } = following;
  const { host } = context;
  const objects = watchObjects(watches, { labelled: true });
  const followed = baseline.objects.map((item): Followed => ({
    ...{ item, version: undefined, due: Infinity, compared: -Infinity, isKnown: false },
    ...{ vain: 0, failures: 0, reported: undefined },
  }));
  const redaction = redactionOf(context, [baseline.revision.release]);
  const state = { ...following, baseline, redaction, isObsolete: false };
  while (!tools.signal.aborted && !state.isObsolete && !isReplaced(records, baseline)) {
    const now = epochMilliseconds(host);
    for (const one of followed) note(one, objects, now);
    const due = followed.filter((one) => one.due <= now);
    await forEach(due, (one) => compare(one, state));
    if (due.length > 0) continue;
    const next = earliestOf([...followed.map((one) => one.due - now), objects.nextLook(now)]);
    await watches.nextChange(next);
  }
  const drift = followed.flatMap(({ reported }) => reported ?? []);
  const found = { revision: baseline.version, drift, unchanged: followed.length - drift.length };
  return followed.some(({ isKnown }) => !isKnown) ? { ...found, uncompared: endedEarly } : found;
}

/** Whether the watch shows a newer revision, or that an operation works on this one. */
function isReplaced(records: TrackedObjects, { version }: Baseline): boolean {
  return [...records.all()].some(({ metadata: { labels = {} } }) => {
    const found = Number(labels['version']);
    return found > version || (found === version && labels['status'] !== 'deployed');
  });
}

/** Notes whether an object has changed since it was compared. */
function note(one: Followed, objects: ObjectWatches, now: number): void {
  const { ref } = one.item;
  let found: ReturnType<ObjectWatches['find']>;
  try {
    found = objects.find({ ref }, now);
  } catch (error) {
    // it cannot be watched, so that it is compared only once
    if (one.version === undefined) one.due = now;
    one.version ??= messageOf(error);
    return;
  }
  if (found === 'unknown') return;
  const version = versionOf(found);
  if (version === one.version) return;
  one.version = version;
  const pause = Math.min(maxPause, minPause * 2 ** one.vain);
  one.due = Math.min(one.due, Math.max(now, one.compared + pause));
}

/** Returns a text that differs if an object was changed, and not only its status. */
function versionOf(object: KubeObject | undefined): string {
  if (object === undefined) return '';
  const { uid, generation, resourceVersion, labels, annotations, deletionTimestamp } = object.metadata;
  // the generation of some kinds without a status does not count all changes
  if (generation === undefined || object['status'] === undefined) return `${uid} ${resourceVersion}`;
  return JSON.stringify([uid, generation, labels, annotations, deletionTimestamp]);
}

interface Comparing extends Following {
  baseline: Baseline;
  redaction: Redaction;
  /** Whether another revision has to be followed. */
  isObsolete: boolean;
}

/** Compares an object, and reports what is new. */
async function compare(one: Followed, state: Comparing): Promise<void> {
  const { context, options, tools, baseline, redaction } = state;
  const { cluster, host } = context;
  const { signal } = tools;
  const now = epochMilliseconds(host);
  one.vain = now - one.compared > maxPause * 2 ? 0 : one.vain + 1;
  one.compared = now;
  one.due = Infinity;
  try {
    const found = await compareObject(one.item, baseline, options.rules, { ...tools, cluster });
    one.failures = found.drift?.change === 'unknown' ? one.failures + 1 : 0;
    const drift = found.drift && (await redactedDrift(found.drift, redaction, context.abandon));
    const { reported } = one;
    const isNothingNew = drift === undefined && reported === undefined;
    if (!isNothingNew && !(await isCurrent(context, baseline, signal))) {
      state.isObsolete = true;
      return;
    }
    one.isKnown = true;
    one.reported = drift; // the command may end before it is put back
    if (isNothingNew) return;
    const handled = drift && (await handledDrift(one, { ...found, drift }, state));
    one.due = handled?.again ?? Infinity;
    const shown = handled?.drift ?? driftOf(one.item.ref, 'none');
    one.reported = handled === undefined || handled.drift.corrected === true ? undefined : handled.drift;
    if (isSame(shown, reported)) return;
    one.vain = 0;
    tools.report({ drift: [shown] });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function handledDrift(
  { compared, failures }: Followed,
  found: Compared & { drift: Drift },
  { options: { handle }, baseline }: Comparing,
): Promise<Handled> {
  if (found.drift.change === 'unknown') {
    // the reason may pass without a change of the object
    return { drift: found.drift, again: compared + Math.min(maxFailurePause, minPause * 2 ** (failures - 1)) };
  }
  return handle === undefined ? found : await handle(found, baseline);
}

/** Whether two reports say the same, apart from times. */
function isSame(a: Drift, b: Drift | undefined): boolean {
  const text = ({ fields, ...rest }: Drift) => JSON.stringify([rest, fields?.map(({ time: _, ...field }) => field)]);
  return b !== undefined && text(a) === text(b);
}
