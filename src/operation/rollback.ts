import { customLabels } from '../release/storage/storage.ts';
import { history } from '../release/history.ts';
import type { Release } from '../release/release.ts';
import { formatTime } from '../release/time.ts';
import type { OperationContext } from './context.ts';
import { deploy, type Deployment } from './deploy.ts';
import { OperationError } from './error.ts';
import { messageOf } from './error-code.ts';
import { recordFailure, recordRevision } from './steps/record.ts';
import type { DeployOptions, ReleaseName } from './request.ts';
import type { StepRunner } from './steps/steps.ts';

export interface Rollback extends ReleaseName {
  /** The revision to return to. */
  version: number;
  options: Pick<DeployOptions, 'wait' | 'waitForJobs'>;
  historyLimit: number;
}

/** Makes a new revision of an older one and deploys it (pkg/action/rollback.go). Answers the new one. */
export async function rollBack(context: OperationContext, runner: StepRunner, rollback: Rollback): Promise<Release> {
  const { namespace, releaseName, version } = rollback;
  const revisions = await history(context.storage, namespace, releaseName, runner.signal);
  const current = revisions.at(-1);
  const target = revisions.find(({ release }) => release.version === version);
  if (!current) throw new OperationError('release_not_found', 'release: not found');
  if (!target) throw new OperationError('release_not_found', `release has no ${version} version`);

  const revision = await runner.step('record', async (tools) => {
    const release = rolledBack(current.release, target.release, formatTime(context.host.now()));
    tools.done(`revision ${release.version} as ${version}`);
    return await recordRevision(context, release, customLabels(target.labels), rollback.historyLimit, tools.signal);
  });
  const deployment: Deployment = {
    action: 'rollback',
    revision,
    baseline: current,
    superseded: revisions.filter(({ release }) => release.info.status === 'deployed'),
    options: rollback.options,
    description: `Rollback to ${version}`,
    update: { created: [], deleted: [] },
  };
  try {
    await deploy(context, runner, deployment);
  } catch (error) {
    throw await failed(context, deployment, error);
  }
  return deployment.revision.release;
}

function rolledBack(current: Release, target: Release, now: string): Release {
  const { first_deployed } = current.info;
  const { notes } = target.info;
  return {
    ...target,
    info: {
      ...(first_deployed !== undefined && { first_deployed }),
      last_deployed: now,
      description: `Rollback to ${target.version}`,
      status: 'pending-rollback',
      ...(notes !== undefined && { notes }),
    },
    version: current.version + 1,
    apply_method: 'ssa',
  };
}

/** As in Helm; but a failed hook makes the revision failed, too, where Helm leaves it pending for ever. */
async function failed(context: OperationContext, { revision }: Deployment, error: unknown): Promise<unknown> {
  if (context.abandon?.aborted === true) return error;
  const { name } = revision.release;
  return await recordFailure(context, revision, `Rollback ${JSON.stringify(name)} failed: ${messageOf(error)}`, error);
}
