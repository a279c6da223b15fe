import { history } from '../../release/history.ts';
import type { OperationContext } from '../context.ts';
import { applyPlan, resumeApplyPlan } from '../plan/apply-plan.ts';
import type { Plans } from '../plan/plans.ts';
import { resumeRollback, rollback } from '../rollback.ts';
import type { OperationState } from '../state/operation-state.ts';
import type { Guarded } from './guard.ts';

/** Everything that the operations of a guardian need, and the plans of the agent. */
export type GuardianContext = Omit<OperationContext, 'id' | 'checkpoints'> & { plans: Plans };

/** Returns how a guardian upgrades the release of the agent, and returns to the revision before. */
export function guardedRelease({ plans, ...context }: GuardianContext): Pick<Guarded, 'upgrade' | 'goBack'> {
  const checkpointed = (id: string, save: (state: OperationState) => Promise<void>): OperationContext => ({
    ...context,
    id,
    checkpoints: { save: async (state, isNeeded) => (isNeeded ? save(state) : undefined) },
  });
  return {
    async upgrade({ id, plan }, state, save) {
      const own = checkpointed(`${id}/upgrade`, save);
      const request = { plans, plan };
      const { release } = await (state === undefined ? applyPlan(own, request) : resumeApplyPlan(own, state, request));
      if (release === undefined) throw new Error('the plan of the upgrade has deployed nothing');
      return release.version;
    },
    async goBack({ id, namespace, releaseName, from }, state, save) {
      const own = checkpointed(`${id}/return`, save);
      // the pods of a version that does not work may never be ready, and its client has ended
      const request = { namespace, releaseName, version: from, wait: false, recover: true, recoverAfter: 0 };
      if (state !== undefined) return (await resumeRollback(own, state, request)).version;
      const newest = (await history(context.storage, namespace, releaseName, context.signal)).at(-1)?.release;
      if (newest?.version === from && newest.info.status === 'deployed') return from;
      return (await rollback(own, request)).version;
    },
  };
}
