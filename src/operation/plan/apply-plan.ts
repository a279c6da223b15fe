import type { ChartSignature } from '../../chart/load/chart-content.ts';
import { codeOf } from '../../errors/index.ts';
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
import { missingPlan, type Plans } from './plans.ts';

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
  /** The signature of its chart. Default: none was verified. */
  chartSignature?: ChartSignature | undefined;
  /** Helm's message about the objects that an uninstallation kept. */
  info?: string;
  /** Who has approved the plan. Default: the policy requires no approvals. */
  approvedBy?: readonly string[];
}

/**
 * Performs a plan, with the manifest that it has. Throws `plan_not_found` if it has expired, and
 * `plan_stale` if the release or its objects are no longer as the plan says.
 */
export async function applyPlan(context: OperationContext, { plans, plan }: ApplyPlanRequest): Promise<Applied> {
  const entry = await requirePlan(plans, plan);
  const operation = await plannedOperation(context, plans, entry);
  const applied = await withdrawIfStale(plans, entry, () => perform(context, operation));
  return { ...applied, approvedBy: operation.approvedBy };
}

async function perform(context: OperationContext, { action, request }: PlannedOperation): Promise<Applied> {
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
  const entry = await requirePlan(plans, plan, true);
  const operation = await plannedOperation(context, plans, entry);
  const applied = await withdrawIfStale(plans, entry, () => resume(context, state, operation));
  return { ...applied, approvedBy: operation.approvedBy };
}

async function resume(
  context: OperationContext,
  state: OperationState,
  { action, request }: PlannedOperation,
): Promise<Applied> {
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

/** Deletes a plan that is out of date, so that its approvals do not count for it any more. */
async function withdrawIfStale(plans: Plans, { id }: PlanEntry, run: () => Promise<Applied>): Promise<Applied> {
  try {
    return await run();
  } catch (error) {
    if (codeOf(error) !== 'plan_stale') throw error;
    // if that fails, the plan is as safe as before: it is compared with the cluster again
    await plans.remove(id).catch(() => undefined);
    throw error;
  }
}

type PlannedOperation = Awaited<ReturnType<typeof plannedOperation>>;

/**
 * Throws `forbidden` for the plan of another account, `denied_by_policy` for a command or a chart
 * that is not allowed any more, and `approval_required` if approvals that the policy requires are
 * missing.
 */
async function plannedOperation(context: OperationContext, plans: Plans, entry: PlanEntry) {
  const { id, salt, content } = entry;
  const { policy } = context;
  const { action, request, given, account: planner, ...change } = content;
  requirePlanner(context.account, id, planner);
  const command = `${action}_release` as const;
  const options = { ...request, ...given };
  policy?.requirePlanned?.(command, options);
  await policy?.conditions?.requirePlanned(command, options);
  if (action === 'install' || action === 'upgrade') {
    const { chartBytes = Infinity, release } = change;
    const chart = { reference: request.chartFrom, version: release?.chart.metadata?.version };
    policy?.requireChart({ ...chart, bytes: chartBytes });
    policy?.chartSignatures?.require(change.chartSignature);
    await policy?.conditions?.requireChart(chart);
  }
  const approvedBy = policy?.approvals?.require(id, await plans.approvals(id)) ?? [];
  return { approvedBy, action, request: { ...request, loadChart: noChart, planned: { id, salt, ...change } } };
}

/**
 * Throws `forbidden` for the plan of another account, because it may have what that account has
 * read.
 */
export function requirePlanner(account: string | undefined, id: string, planner: string | undefined): void {
  if (planner === account) return;
  const message = `plan ${id} was made by ${actor(planner)}, and this command runs as ${actor(account)}; let the owner of the cluster give plan_release and apply_plan the same service account, and make a new plan`;
  throw new OperationError('forbidden', message);
}

function actor(account: string | undefined): string {
  return account === undefined ? 'the agent itself' : `the service account ${account}`;
}

function noChart(): Promise<never> {
  return Promise.reject(new Error('a plan has the rendered chart'));
}

/** Returns a plan by its id, or the start of it. Throws `plan_not_found`. */
export async function requirePlan(plans: Plans, id: string, isStarted = false): Promise<PlanEntry> {
  const entry = await plans.find(id, isStarted);
  // the content of another plan may have been put in its place
  if (entry !== undefined && planId(entry) === entry.id && entry.id.startsWith(id)) return entry;
  throw missingPlan(id, plans);
}

export const operation = operationOf('apply_plan', {
  request: ({ plan }, { plans }) => ({ plan, plans }),
  run: applyPlan,
  resume: resumeApplyPlan,
  /** It has the values of Secrets. A failed command may be sent again, so that its plan is kept. */
  afterSuccess: ({ plan, plans }) => plans.remove(plan),
  answer: ({ release, unchanged, chartSignature, info = '', approvedBy = [] }) => ({
    ...(release && { release: publicRelease(release) }),
    ...(unchanged === true && { unchanged }),
    ...(chartSignature && { chartSignature: { ...chartSignature } }),
    ...(info !== '' && { info }),
    ...(approvedBy.length > 0 && { approvedBy: [...approvedBy] }),
  }),
});
