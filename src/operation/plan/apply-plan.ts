import type { Release } from '../../release/release.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { install, resumeInstall } from '../install.ts';
import { publicRelease } from '../release-answer.ts';
import { resumeRollback, rollback } from '../rollback.ts';
import type { OperationState } from '../state/operation-state.ts';
import { resumeUninstall, uninstall } from '../uninstall.ts';
import { resumeUpgrade, upgrade } from '../upgrade.ts';
import { type PlanEntry, planId } from './plan-entry.ts';
import type { Plans } from './plans.ts';

export interface ApplyPlanRequest {
  plans: Plans;
  /** The id of the plan, or its start. */
  plan: string;
}

/** The outcome of the operation that a plan describes. */
export interface Applied {
  /** Undefined if there was no release to uninstall. */
  release?: Release;
  /** Whether nothing was done, because the release is already as planned. */
  unchanged?: boolean;
  /** Helm's message about the objects that an uninstallation kept. */
  info?: string;
}

/**
 * Performs a plan, with the manifest that it has. Throws `plan_not_found` if it has expired, and
 * `plan_stale` if the release or its objects are no longer as the plan says.
 */
export async function applyPlan(context: OperationContext, { plans, plan }: ApplyPlanRequest): Promise<Applied> {
  const { action, request } = await plannedOperation(context, await requirePlan(plans, plan));
  switch (action) {
    case 'install':
      return await install(context, request);
    case 'upgrade':
      return await upgrade(context, request);
    case 'rollback':
      return { release: await rollback(context, request) };
    case 'uninstall':
      return await uninstall(context, request);
  }
}

/**
 * Continues the performance of a plan from a state that was saved. The plan may have expired in the
 * meantime.
 */
export async function resumeApplyPlan(
  context: OperationContext,
  state: OperationState,
  { plans, plan }: ApplyPlanRequest,
): Promise<Applied> {
  const { action, request } = await plannedOperation(context, await requirePlan(plans, plan, true));
  switch (action) {
    case 'install':
      return await resumeInstall(context, state, request);
    case 'upgrade':
      return await resumeUpgrade(context, state, request);
    case 'rollback':
      return { release: await resumeRollback(context, state, request) };
    case 'uninstall':
      return await resumeUninstall(context, state, request);
  }
}

/**
 * Throws `forbidden` for the plan of another account, because it may have what that account has
 * read, and `denied_by_policy` for a chart that is no longer allowed.
 */
async function plannedOperation({ account, policy }: OperationContext, { id, salt, content }: PlanEntry) {
  const { action, request, account: planner, ...change } = content;
  if (planner !== account) {
    const message = `plan ${id} was made by ${actor(planner)}, and this command runs as ${actor(account)}; let the owner of the cluster give plan_release and apply_plan the same service account, and make a new plan`;
    throw new OperationError('forbidden', message);
  }
  if (action === 'install' || action === 'upgrade') {
    const chart = { reference: request.chartFrom, version: change.release?.chart.metadata?.version };
    policy?.requireChart(chart);
    await policy?.conditions?.requireChart(chart);
  }
  return { action, request: { ...request, loadChart: noChart, planned: { id, salt, ...change } } };
}

function actor(account: string | undefined): string {
  return account === undefined ? 'the agent itself' : `the service account ${account}`;
}

function noChart(): Promise<never> {
  return Promise.reject(new Error('a plan has the rendered chart'));
}

async function requirePlan(plans: Plans, id: string, isStarted = false): Promise<PlanEntry> {
  const entry = await plans.find(id, isStarted);
  if (entry !== undefined && planId(entry) === entry.id) return entry;
  const hours = plans.lifetime / 3_600_000;
  throw new OperationError(
    'plan_not_found',
    `there is no plan ${id}: plans expire after ${hours} hours${plans.isDurable ? '' : ', and with the agent'}, and are deleted once they were performed; make a new plan`,
  );
}

export const operation = operationOf('apply_plan', {
  request: ({ plan }, { plans }) => ({ plan, plans }),
  run: applyPlan,
  resume: resumeApplyPlan,
  /** It has the values of Secrets. A failed command may be sent again, so that its plan is kept. */
  afterSuccess: ({ plan, plans }) => plans.remove(plan),
  answer: ({ release, unchanged, info = '' }) => ({
    ...(release && { release: publicRelease(release) }),
    ...(unchanged === true && { unchanged }),
    ...(info !== '' && { info }),
  }),
});
