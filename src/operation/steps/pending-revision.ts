import type { HookEvent } from '../../release/hook.ts';
import { withStatus, type Release } from '../../release/release.ts';
import { revisionKey, type StoredRevision } from '../../release/storage/storage.ts';
import { applyRelease } from '../apply/apply.ts';
import type { ApplySettings } from '../apply/apply-settings.ts';
import type { SeenObject } from '../apply/deletion.ts';
import { withOwner } from '../apply/ownership.ts';
import { resolveReleaseObjects, type ReleaseObject } from '../apply/release-object.ts';
import type { OperationContext } from '../context.ts';
import { withPrefix } from '../error.ts';
import type { StepName } from '../progress.ts';
import type { DeployOptions } from '../request.ts';
import { waitUntilReady } from '../wait/ready-wait.ts';
import type { ChangeRecord } from '../state/object-changes.ts';
import { runHooks } from './hooks.ts';
import type { StepRunner, StepTools } from './step-runner.ts';
import { updateRevision } from './update-revision.ts';

/** A stored revision that is being deployed. */
export interface PendingRevision {
  action: 'install' | 'upgrade' | 'rollback';
  revision: StoredRevision;
  /** The revision to start from: objects that only it has are deleted. Undefined on install. */
  baseline: StoredRevision | undefined;
  /** Revisions that become `superseded` when this one is deployed. */
  superseded: readonly StoredRevision[];
  options: Pick<DeployOptions, 'wait' | 'waitForJobs' | 'noHooks'>;
  /** How objects are applied. */
  apply: ApplySettings;
  /** Existing objects that were not part of the release and become part of it. */
  adopted: readonly SeenObject[];
  /** Description of the deployed release. */
  description: string;
  /** Changes that the apply step has made so far. */
  changes: ChangeRecord;
  /** The step that is running or has failed. Undefined before the first. */
  step?: StepName;
}

interface DeployStep {
  name: StepName;
  run: (context: OperationContext, pending: PendingRevision, tools: StepTools) => Promise<void>;
}

const never = new AbortController().signal;

/** The steps until a stored revision is ready. An interrupted step may run again. */
const deploySteps: readonly DeployStep[] = [
  { name: 'pre-hooks', run: (context, pending, tools) => runHooksOf('pre', context, pending, tools) },
  { name: 'apply', run: apply },
  { name: 'wait', run: wait },
  { name: 'post-hooks', run: (context, pending, tools) => runHooksOf('post', context, pending, tools) },
];

/**
 * Brings the objects of a pending revision to the cluster, until all is ready and only its status
 * has to be stored. Updates its `revision`, `changes` and `step`. If it fails, the caller undoes
 * it.
 */
export async function deployRevision(
  context: OperationContext,
  runner: StepRunner,
  pending: PendingRevision,
): Promise<void> {
  for (const { name, run } of deploySteps) {
    pending.step = name;
    await runner.step(name, (tools) => run(context, pending, tools));
  }
  runner.signal.throwIfAborted();
}

/**
 * Stores that a revision is deployed, right after {@link deployRevision}. Callers do not undo the
 * release if this fails, because it is ready.
 */
export async function finishRevision(
  context: OperationContext,
  runner: StepRunner,
  pending: PendingRevision,
): Promise<Release> {
  const ownRunner = runner.withSignal(context.abandon ?? never);
  const { revision } = await ownRunner.step('finish', (tools) => finish(context, pending, tools));
  return revision.release;
}

async function runHooksOf(
  phase: 'pre' | 'post',
  context: OperationContext,
  pending: PendingRevision,
  tools: StepTools,
): Promise<void> {
  const { action, options } = pending;
  const event: HookEvent = `${phase}-${action}`;
  if (options.noHooks === true) {
    tools.skipped('hooks are disabled');
    return;
  }
  try {
    await runHooks(context, pending, event, tools);
  } catch (error) {
    if (action === 'install') throw withPrefix(`failed ${event}`, error);
    if (action === 'upgrade') throw withPrefix(`${event} hooks failed`, error);
    throw error;
  }
}

async function apply(context: OperationContext, pending: PendingRevision, tools: StepTools): Promise<void> {
  const { cluster } = context;
  const { action, adopted, apply: settings, baseline, changes, revision } = pending;
  const { signal } = tools;
  const objects = await objectsOf(context, pending, signal);
  const old = baseline === undefined ? [] : await baselineObjects(context, baseline, signal);
  const oldMethod = baseline?.release.apply_method;
  const change = { action, settings, owner: revision.release, objects, old, oldMethod, adopted };
  await applyRelease(change, changes, { ...tools, cluster });
  const { deleted } = changes.changes();
  const removed = deleted.length === 0 ? '' : `, ${deleted.length} removed`;
  tools.done(`${countText(objects.length, 'applied')}${removed}`);
}

async function wait(context: OperationContext, pending: PendingRevision, tools: StepTools): Promise<void> {
  const { wait: isWanted = true, waitForJobs = true } = pending.options;
  if (!isWanted) {
    tools.skipped('not requested');
    return;
  }
  const objects = await objectsOf(context, pending, tools.signal);
  const refs = objects.map(({ ref }) => ref).filter(({ name }) => name !== '');
  const { cluster, host } = context;
  await waitUntilReady(refs, { cluster, host, tools, toCompletion: waitForJobs ? ['Job'] : [], labelled: true });
  tools.done(countText(refs.length, 'ready'));
}

/**
 * Marks the old revisions as superseded before the new one as deployed, as Helm does, so that there
 * are never two deployed revisions. Ignores the deadline and a cancel: the release is complete.
 */
async function finish(context: OperationContext, pending: PendingRevision, tools: StepTools): Promise<PendingRevision> {
  const { storage, abandon } = context;
  for (const { release } of pending.superseded) {
    const stored = await storage.get(revisionKey(release), abandon);
    if (stored === undefined) continue;
    const info = { ...stored.release.info, status: 'superseded' as const };
    await updateRevision(
      storage,
      { ...stored, release: { ...stored.release, info } },
      abandon,
      stored.release.info.status,
    );
  }
  const { revision, description } = pending;
  const release = withStatus(revision.release, 'deployed', description);
  pending.revision = await updateRevision(storage, { ...revision, release }, abandon, revision.release.info.status);
  tools.done(description);
  return pending;
}

async function objectsOf(
  context: OperationContext,
  { revision }: PendingRevision,
  signal: AbortSignal,
): Promise<ReleaseObject[]> {
  const { name, namespace, manifest } = revision.release;
  const prefix = 'unable to build kubernetes objects from new release manifest';
  const objects = await resolveReleaseObjects(context, manifest, namespace, { prefix, signal });
  return objects.map((item) => ({ ...item, object: withOwner(item.object, { name, namespace }) }));
}

function baselineObjects(
  context: OperationContext,
  { release }: StoredRevision,
  signal: AbortSignal,
): Promise<ReleaseObject[]> {
  const prefix = 'unable to build kubernetes objects from current release manifest';
  const options = { prefix, signal, versions: 'any served' } as const;
  return resolveReleaseObjects(context, release.manifest, release.namespace, options);
}

function countText(count: number, what: string): string {
  return `${count} ${count === 1 ? 'resource' : 'resources'} ${what}`;
}
