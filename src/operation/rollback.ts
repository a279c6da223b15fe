import { customLabels } from '../release/storage/storage.ts';
import { history } from '../release/history.ts';
import type { Release } from '../release/release.ts';
import { formatTime } from '../release/time.ts';
import type { OperationContext } from './context.ts';
import { deployRevision, finishRevision, type PendingRevision } from './steps/pending-revision.ts';
import { OperationError, messageOf } from './error.ts';
import { checkStoredNames } from './steps/object-names.ts';
import { recordFailure, recordRevision } from './steps/record.ts';
import type { DeployOptions, ReleaseName } from './request.ts';
import type { StepRunner } from './steps/step-runner.ts';

export interface Rollback extends ReleaseName {
  /** The revision to roll back to. */
  version: number;
  options: Pick<DeployOptions, 'wait' | 'waitForJobs'>;
  historyLimit: number;
}

const buildFailed = 'unable to build kubernetes objects from new release manifest';

/** Deploys an older revision as a new one (pkg/action/rollback.go). Returns the new revision. */
export async function rollBack(context: OperationContext, runner: StepRunner, rollback: Rollback): Promise<Release> {
  const { namespace, releaseName, version } = rollback;
  const revisions = await history(context.storage, namespace, releaseName, runner.signal);
  const current = revisions.at(-1);
  const target = revisions.find(({ release }) => release.version === version);
  if (!current) throw new OperationError('release_not_found', 'release: not found');
  if (!target) throw new OperationError('release_not_found', `release has no ${version} version`);

  const revision = await runner.step('record', async (tools) => {
    await checkStoredNames(context, target.release, buildFailed, tools.signal);
    const release = rolledBack(current.release, target.release, formatTime(context.host.now()));
    tools.done(`revision ${release.version} as ${version}`);
    return await recordRevision(context, release, customLabels(target.labels), rollback.historyLimit, tools.signal);
  });
  const pending: PendingRevision = {
    action: 'rollback',
    revision,
    baseline: current,
    superseded: revisions.filter(({ release }) => release.info.status === 'deployed'),
    options: rollback.options,
    description: `Rollback to ${version}`,
    changes: { created: [], deleted: [] },
  };
  try {
    await deployRevision(context, runner, pending);
  } catch (error) {
    throw await failed(context, pending, error);
  }
  return await finishRevision(context, runner, pending);
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

/** Stores the failure as Helm does, and also after a failed hook, when Helm leaves it pending. */
async function failed(context: OperationContext, { revision }: PendingRevision, error: unknown): Promise<unknown> {
  if (context.abandon?.aborted === true) return error;
  const { name } = revision.release;
  return await recordFailure(context, revision, `Rollback ${JSON.stringify(name)} failed: ${messageOf(error)}`, error);
}
