import type { CommandResult, Failure } from '../../protocol/messages.ts';
import type { Release } from '../../protocol/release.ts';
import { addPlan } from './cluster-plan.ts';
import {
  type Changes,
  type Cluster,
  clusterOf,
  type ClusterStage,
  type Rollout,
  type RolloutStatus,
  withoutNotes,
  withoutPassing,
  withoutPlan,
} from './rollout.ts';

/** Refusals by the owner of a cluster, who may allow the command later. */
const heldCodes: ReadonlySet<string> = new Set(['denied_by_policy', 'policy_invalid', 'approval_required']);

/** Failures that have nothing to do with the release, and may pass. */
const passingCodes: ReadonlySet<string> = new Set([
  'agent_not_connected',
  'agent_restarted',
  'busy',
  'command_expired',
  'journal_unavailable',
  'lease_lost',
  'shutting_down',
  'store_unavailable',
]);

/** Failures after which the update may have been done, or may still be. */
const lostCodes: ReadonlySet<string> = new Set([
  'agent_forgotten',
  'agent_restarted',
  'command_not_found',
  'continued_too_often',
  'internal',
  'journal_lost',
  'lease_lost',
]);

/** Number of failures that may pass after which one counts. */
const maxPassing = 5;

/** Returns the changes after the result of the command that a cluster performs. */
export function settle(rollout: Rollout, agentId: string, result: CommandResult, now: number): Changes {
  const cluster = clusterOf(rollout, agentId);
  if (cluster.stage === 'planning' && result.ok) return addPlan(rollout, agentId, { ...cluster, since: now }, result);
  return { clusters: new Map([[agentId, settled(rollout, cluster, result, now)]]) };
}

function settled({ plan, status }: Rollout, cluster: Cluster, result: CommandResult, now: number): Cluster {
  switch (cluster.stage) {
    case 'planning':
      return result.ok ? cluster : failed(cluster, result.error, now);
    case 'inspecting': {
      if (!result.ok && result.error.code !== 'release_not_found') return failed(cluster, result.error, now);
      const releases = result.ok ? releasesOf(result) : [];
      const inspected = { ...withBase(cluster, deployedOf(releases)), since: now };
      if (!mayUpdate(status)) return { ...inspected, stage: cluster.plan ? 'planned' : 'pending' };
      const next = (releases.at(-1)?.version ?? 0) + 1;
      return { ...inspected, stage: 'updating', own: [...(inspected.own ?? []), next] };
    }
    case 'updating': {
      if (!result.ok) {
        const ended = lostCodes.has(result.error.code) ? cluster : withMade(cluster, []);
        return plan.spec.plan ? notApplied(ended, result.error, now) : failed(ended, result.error, now);
      }
      const revision = revisionOf(result);
      const made = revision === undefined ? cluster : { ...withMade(cluster, [revision]), revision };
      return begun(made, afterUpdate(plan), now);
    }
    case 'testing': {
      if (!result.ok) return failed(cluster, result.error, now);
      if ('passed' in result && !result.passed) {
        const failure = result.failure ?? { code: 'hook_failed', message: 'a test of the release has failed' };
        return failed(cluster, failure, now);
      }
      return begun(cluster, plan.spec.job === undefined ? 'updated' : 'checking', now);
    }
    case 'checking':
      return result.ok ? begun(cluster, 'updated', now) : failed(cluster, result.error, now);
    case 'reviewing':
      return reviewed(cluster, result, now);
    case 'reverting':
      return result.ok ? reverted(cluster, now) : notReturned(cluster, result.error, now);
    default:
      return cluster;
  }
}

/** Returns the stage of a cluster that has the new revision. */
function afterUpdate({ spec: { test, job } }: Rollout['plan']): ClusterStage {
  if (test) return 'testing';
  return job === undefined ? 'updated' : 'checking';
}

/** Returns a cluster in the stage after one that it has done. */
function begun(cluster: Cluster, stage: ClusterStage, now: number): Cluster {
  return { ...(stage === 'updated' ? withoutPassing(cluster) : cluster), stage, since: now };
}

/**
 * Returns a cluster whose deployed revision was looked up. That of an earlier attempt is not its
 * last good one.
 */
function withBase(
  { revision: _, undoing: __, own = [], ...cluster }: Cluster,
  deployed: number | null | undefined,
): Cluster {
  // a release that is installed again counts from 1
  if (deployed === null) return { ...cluster, base: null };
  return { ...cluster, own, ...(deployed !== undefined && !own.includes(deployed) && { base: deployed }) };
}

/** Returns a cluster whose update has made other revisions than the one that was expected. */
function withMade({ own = [], ...cluster }: Cluster, revisions: readonly number[]): Cluster {
  return { ...cluster, own: [...own.slice(0, -1), ...revisions] };
}

/** Whether clusters may be updated: those that were away also when the rollout is done. */
function mayUpdate({ phase }: RolloutStatus): boolean {
  return phase === 'running' || phase === 'succeeded';
}

/** Returns a cluster whose plan was not performed. */
function notApplied(cluster: Cluster, error: Pick<Failure, 'code' | 'message'>, now: number): Cluster {
  const { code, message } = error;
  if (code === 'plan_stale') {
    const failure = { code, message: shorten(message) };
    return { ...withoutPlan(withoutPassing(cluster)), stage: 'stale', since: now, failure };
  }
  const { passing = 0 } = cluster;
  if (code !== 'plan_not_found' || passing + 1 >= maxPassing) return failed(cluster, error, now);
  // agents keep plans for a day, and not more than a number: it makes the plan again
  return { ...withoutPlan(cluster), stage: 'pending', since: now, passing: passing + 1 };
}

/** Returns a cluster whose command has failed. */
function failed(cluster: Cluster, { code, message }: Pick<Failure, 'code' | 'message'>, now: number): Cluster {
  const after = { since: now, failure: { code, message: shorten(message) } };
  const { stage, passing = 0 } = cluster;
  if (passingCodes.has(code) && passing + 1 < maxPassing)
    return { ...cluster, ...after, stage: 'away', passing: passing + 1 };
  const isHeld = heldCodes.has(code) && stage !== 'testing' && stage !== 'checking';
  return { ...withoutPassing(cluster), ...after, stage: isHeld ? 'held' : 'failed' };
}

function reverted(cluster: Cluster, now: number): Cluster {
  return { ...withoutNotes(cluster), stage: 'reverted', since: now };
}

/** Returns a cluster that could not be returned now, or at all. */
function notReturned(cluster: Cluster, error: Pick<Failure, 'code' | 'message'>, now: number): Cluster {
  const { base, passing = 0 } = cluster;
  if (base === undefined || !passingCodes.has(error.code) || passing + 1 >= maxPassing)
    return stuck(withoutPassing(cluster), error, now);
  // it is not known any more what it has
  return { ...cluster, stage: 'failed', since: now, passing: passing + 1 };
}

function stuck(cluster: Cluster, { code, message }: Pick<Failure, 'code' | 'message'>, now: number): Cluster {
  return { ...cluster, stage: 'stuck', since: now, failure: { code, message: shorten(message) } };
}

/** Decides by the history of a release how it is returned to its last good revision. */
function reviewed(cluster: Cluster, result: CommandResult, now: number): Cluster {
  const { base } = cluster;
  const isGone = !result.ok && result.error.code === 'release_not_found';
  if (!result.ok && !isGone) return notReturned(cluster, result.error, now);
  const releases = result.ok ? releasesOf(result) : [];
  const newest = releases.at(-1);
  if (!newest || deployedOf(releases) === null) {
    if (base === null) return reverted(cluster, now);
    return stuck(cluster, { code: 'release_not_found', message: 'the release was uninstalled since' }, now);
  }
  const theirs = theirsOf(cluster, releases);
  if (theirs !== undefined) {
    const message = `revision ${theirs.version} was deployed since, and is left as it is`;
    return stuck(cluster, { code: 'conflict', message }, now);
  }
  if (base === undefined) {
    return stuck(cluster, { code: 'no_deployed_release', message: 'no revision was deployed before' }, now);
  }
  // the agent has undone the failed upgrade
  if (base !== null && (deployedOf(releases) === base || isRollback(newest, base))) return reverted(cluster, now);
  return { ...cluster, stage: 'reverting', since: now, ...(base !== null && { undoing: newest.version + 1 }) };
}

/**
 * Returns the revision that someone has deployed since: a newer one than the rollout has deployed,
 * or one that is deployed now and was not before. Undefined: there is none.
 */
function theirsOf({ base, revision, undoing, own = [] }: Cluster, releases: readonly Release[]): Release | undefined {
  const newest = releases.at(-1);
  if (revision !== undefined && newest && newest.version > revision) {
    const hasFailed = newest.version === undoing && newest.info.status !== 'deployed';
    return hasFailed || isRollback(newest, base) ? undefined : newest;
  }
  const deployed = releases.findLast(({ info }) => info.status === 'deployed');
  if (!deployed || isRollback(deployed, base)) return undefined;
  return [base, revision, ...own].includes(deployed.version) ? undefined : deployed;
}

/** Whether a revision is a rollback to another one, by the description that Helm gives it. */
function isRollback({ info }: Release, base: number | null | undefined): boolean {
  return typeof base === 'number' && info.status === 'deployed' && info.description === `Rollback to ${base}`;
}

/** Returns the newest revision that is deployed: null if the release does not exist any more. */
function deployedOf(releases: readonly Release[]): number | null | undefined {
  const newest = releases.at(-1);
  // a history that is kept has only its newest revision marked
  if (!newest || newest.info.status === 'uninstalled') return null;
  return releases.findLast(({ info }) => info.status === 'deployed')?.version;
}

function releasesOf(result: CommandResult & { ok: true }): readonly Release[] {
  return 'releases' in result ? result.releases : [];
}

function revisionOf(result: CommandResult & { ok: true }): number | undefined {
  if ('revision' in result) return result.revision;
  return 'release' in result ? result.release?.version : undefined;
}

const maxMessageLength = 500;

function shorten(message: string): string {
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 1)}…` : message;
}
