import type { HookEvent } from '../release/hook.ts';
import { withStatus } from '../release/release.ts';
import { revisionKey, type StoredRevision } from '../release/storage/storage.ts';
import { createObjects, updateObjects, type Update } from './apply/apply.ts';
import type { OperationContext } from './context.ts';
import { withPrefix } from './error-code.ts';
import { runHooks } from './steps/hooks.ts';
import { owned } from './apply/ownership.ts';
import type { StepName } from './progress.ts';
import { waitUntilReady } from './wait/ready-wait.ts';
import type { DeployOptions } from './request.ts';
import type { StepRunner, StepTools } from './steps/steps.ts';
import { resolveTargets, type Target } from './apply/target.ts';

/** A revision that is recorded and being brought into the cluster. All of it is found again in storage. */
export interface Deployment {
  action: 'install' | 'upgrade' | 'rollback';
  revision: StoredRevision;
  /** Where the cluster comes from: its objects that the new revision lacks are removed. None on install. */
  baseline: StoredRevision | undefined;
  /** What becomes superseded once the revision is deployed. */
  superseded: readonly StoredRevision[];
  options: Pick<DeployOptions, 'wait' | 'waitForJobs'>;
  /** What stands in the release at the end. */
  description: string;
  /** What applying did so far. */
  update: Update;
}

interface DeployStep {
  name: StepName;
  run: (context: OperationContext, deployment: Deployment, tools: StepTools) => Promise<void>;
}

/** From a recorded revision to one that is deployed. Each step may be run again where it was interrupted. */
const deploySteps: readonly DeployStep[] = [
  { name: 'pre-hooks', run: (context, deployment, tools) => runHooksOf('pre', context, deployment, tools) },
  { name: 'apply', run: apply },
  { name: 'wait', run: wait },
  { name: 'post-hooks', run: (context, deployment, tools) => runHooksOf('post', context, deployment, tools) },
  { name: 'finish', run: finish },
];

/** Runs the steps from `from` on. */
export async function deploy(
  context: OperationContext,
  runner: StepRunner,
  deployment: Deployment,
  from: StepName = 'pre-hooks',
): Promise<void> {
  const first = deploySteps.findIndex(({ name }) => name === from);
  for (const { name, run } of deploySteps.slice(first)) {
    await runner.step(name, (tools) => run(context, deployment, tools));
  }
}

async function runHooksOf(
  when: 'pre' | 'post',
  context: OperationContext,
  deployment: Deployment,
  tools: StepTools,
): Promise<void> {
  const { action } = deployment;
  const event: HookEvent = `${when}-${action}`;
  try {
    await runHooks(context, deployment, event, tools);
  } catch (error) {
    if (action === 'install') throw withPrefix(`failed ${event}`, error);
    if (action === 'upgrade') throw withPrefix(`${event} hooks failed`, error);
    throw error;
  }
}

async function apply(context: OperationContext, deployment: Deployment, tools: StepTools): Promise<void> {
  const { cluster } = context;
  const { action, baseline, update } = deployment;
  const targets = await targetsOf(context, deployment, tools.signal);
  if (action === 'install') {
    await createObjects(cluster, targets, tools.signal);
    tools.done(countText(targets.length, 'applied'));
    return;
  }
  const old = baseline === undefined ? [] : await baselineTargets(context, baseline, tools.signal);
  await updateObjects(cluster, old, targets, update, tools.signal);
  const removed = update.deleted.length === 0 ? '' : `, ${update.deleted.length} removed`;
  tools.done(`${countText(targets.length, 'applied')}${removed}`);
}

async function wait(context: OperationContext, deployment: Deployment, tools: StepTools): Promise<void> {
  const { wait: isWanted = true, waitForJobs = true } = deployment.options;
  if (!isWanted) {
    tools.skipped('not asked for');
    return;
  }
  const targets = await targetsOf(context, deployment, tools.signal);
  const refs = targets.map(({ ref }) => ref).filter(({ name }) => name !== '');
  const { cluster, host } = context;
  await waitUntilReady(refs, { cluster, host, tools, toCompletion: waitForJobs ? ['Job'] : [], labelled: true });
  tools.done(countText(refs.length, 'ready'));
}

/**
 * The old revision is superseded before the new one is deployed, as in Helm: never are two deployed. All is done by now, so neither the
 * deadline nor a cancel stops it half-way.
 */
async function finish(context: OperationContext, deployment: Deployment, tools: StepTools): Promise<void> {
  const { storage, abandon } = context;
  for (const { release } of deployment.superseded) {
    const stored = await storage.get(revisionKey(release), abandon);
    if (stored === undefined) continue;
    const info = { ...stored.release.info, status: 'superseded' as const };
    await storage.update({ ...stored, release: { ...stored.release, info } }, abandon);
  }
  const { revision, description } = deployment;
  const release = withStatus(revision.release, 'deployed', description);
  deployment.revision = await storage.update({ ...revision, release }, abandon);
  tools.done(description);
}

async function targetsOf(
  { cluster }: OperationContext,
  { revision }: Deployment,
  signal: AbortSignal,
): Promise<Target[]> {
  const { name, namespace, manifest } = revision.release;
  const prefix = 'unable to build kubernetes objects from new release manifest';
  const targets = await resolveTargets(cluster, manifest, namespace, { prefix, signal });
  return targets.map((target) => ({ ...target, object: owned(target.object, { name, namespace }) }));
}

function baselineTargets(
  { cluster }: OperationContext,
  { release }: StoredRevision,
  signal: AbortSignal,
): Promise<Target[]> {
  const prefix = 'unable to build kubernetes objects from current release manifest';
  return resolveTargets(cluster, release.manifest, release.namespace, { prefix, signal, unknownKinds: 'leave out' });
}

function countText(count: number, what: string): string {
  return `${count} ${count === 1 ? 'resource' : 'resources'} ${what}`;
}
