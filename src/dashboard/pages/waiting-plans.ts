import type { CommandAnswers } from '../../protocol/commands/index.ts';
import type { CommandResult } from '../../protocol/messages.ts';
import type { ListedCommand, Rollout } from '../server/types.ts';

/** A plan that its agent has refused to perform without approvals. */
export interface WaitingPlan {
  readonly agentId: string;
  /** Its id. */
  readonly plan: string;
  /** The approvals that the policy of the owner requires, as a sentence. */
  readonly reason: string;
  /** RFC 3339. */
  readonly since?: string | undefined;
  /** The rollout that continues on the cluster when the plan is approved. */
  readonly rolloutId?: string;
}

const waitsFor = 'approval_required';

/** Returns the plans of rollouts that wait for approvals of the policies of owners. */
export function waitingInRollouts(rollouts: readonly Pick<Rollout, 'id' | 'problems'>[]): WaitingPlan[] {
  return rollouts.flatMap(({ id: rolloutId, problems }) =>
    problems.flatMap(({ agentId, plan, failure, since }) =>
      plan === undefined || failure?.code !== waitsFor
        ? []
        : [{ agentId, plan, reason: failure.message, since, rolloutId }],
    ),
  );
}

/** A command, and its result. */
export interface EndedCommand<Type extends 'plan_release' | 'apply_plan'> {
  readonly command: ListedCommand;
  readonly result: CommandResult<Type> | undefined;
}

/**
 * Returns the plans that were refused because of missing approvals, have not expired, and were not
 * performed since. Both lists have the newest command first.
 */
export function waitingAlone(
  plans: readonly EndedCommand<'plan_release'>[],
  applied: readonly EndedCommand<'apply_plan'>[],
  now: number,
): WaitingPlan[] {
  const seen = new Set<string>();
  return applied.flatMap(({ command, result }): WaitingPlan[] => {
    const release = releaseOf(command);
    if (seen.has(release)) return [];
    seen.add(release);
    if (result?.ok !== false || result.error.code !== waitsFor) return [];
    const { createdAt: since = '' } = command;
    const made = plans.find((one) => releaseOf(one.command) === release && (one.command.createdAt ?? '') <= since);
    if (made?.result?.ok !== true || Date.parse(made.result.expires) < now) return [];
    const { agentId } = command;
    return [{ agentId, plan: wholeId(made.result), reason: result.error.message, since }];
  });
}

/** Returns the id of a plan with all characters of its digest. */
export function wholeId({ plan, digest }: Pick<CommandAnswers['plan_release'], 'plan' | 'digest'>): string {
  return `${plan.split('@')[0] ?? ''}@${digest}`;
}

function releaseOf({ agentId, namespace, releaseName }: ListedCommand): string {
  return JSON.stringify([agentId, namespace, releaseName]);
}
