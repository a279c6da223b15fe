import type { ChartSignature } from '../../chart/load/chart-content.ts';
import { neededRights } from '../../objects/access.ts';
import { chartBytes } from '../../policy/sizes.ts';
import type { Hook } from '../../release/hook.ts';
import type { Release } from '../../release/release.ts';
import { epochMilliseconds } from '../clock.ts';
import type { OperationContext } from '../context.ts';
import { maskedDifference, type ObjectDifference } from '../diff/object-changes.ts';
import { answerRedaction } from '../evidence/secret-values.ts';
import { installTables } from '../install.ts';
import type { InstallRequest, PreviewRequest, RollbackRequest, UninstallRequest, UpgradeRequest } from '../request.ts';
import { rollbackTable } from '../rollback.ts';
import { initialState, runOperation } from '../run.ts';
import type { Verb } from '../state/operation-state.ts';
import { placedHooks } from '../steps/hooks/run-hooks.ts';
import { checkNamespace, checkReleaseName } from '../steps/names.ts';
import type { VerbTables } from '../steps/step.ts';
import { uninstallTable } from '../uninstall.ts';
import { upgradeTable } from '../upgrade.ts';
import { newWork, type Work } from '../work.ts';
import { crdDifferences, hookDifferences } from './other-differences.ts';
import { type PlainRequest, type PlanContent, type PlanEntry, planId } from './plan-entry.ts';
import { baseRevision, type PlannedHook, plannedObject } from './planned-change.ts';
import type { Plans } from './plans.ts';
import { usedRevisions } from './revision-digest.ts';

/** An operation that can be planned. */
export type PlannableOperation =
  | { verb: 'install'; request: InstallRequest }
  | { verb: 'upgrade'; request: UpgradeRequest }
  | { verb: 'rollback'; request: RollbackRequest }
  | { verb: 'uninstall'; request: UninstallRequest };

export interface PlanRequest {
  plans: Plans;
  operation: PlannableOperation;
  /** The fields of the command that the plan is made for, for the policy. Default: unknown. */
  given?: object;
}

/** An operation that ran up to its first change. */
interface Rehearsal {
  work: Work<unknown>;
  /** The revision that would be deployed, or the one to uninstall. */
  release: Release | undefined;
  unchanged?: boolean | undefined;
  chartSignature?: ChartSignature | undefined;
}

/**
 * Runs an operation up to its first change, finds out by dry runs what it would do to each object,
 * and records that as a plan. Throws what the operation would throw.
 */
export async function plan(context: OperationContext, { plans, operation, given }: PlanRequest): Promise<PlanEntry> {
  const { releaseName, namespace } = operation.request;
  checkReleaseName(releaseName, () => `release name is invalid: ${releaseName}`);
  checkNamespace(namespace);
  const { host } = context;
  const salt = Buffer.from(host.randomBytes(16)).toString('hex');
  const rehearsed = await contentOf(context, operation, await rehearse(context, operation), salt);
  const content: PlanContent = { ...rehearsed, ...(given && { given }) };
  const expiresAt = epochMilliseconds(host) + plans.lifetime;
  const entry: PlanEntry = { format: 1, id: planId({ salt, content }), salt, expiresAt, content };
  await plans.add(entry);
  return entry;
}

async function rehearse(context: OperationContext, { verb, request }: PlannableOperation): Promise<Rehearsal> {
  switch (verb) {
    case 'install': {
      const { work, outcome } = await runToCheck(context, verb, request, installTables);
      return { work, ...outcome };
    }
    case 'upgrade': {
      const { work, outcome } = await runToCheck(context, verb, request, { upgrade: upgradeTable });
      return { work, ...outcome };
    }
    case 'rollback': {
      const { work, outcome } = await runToCheck(context, verb, request, { rollback: rollbackTable });
      return { work, release: outcome };
    }
    case 'uninstall': {
      const { work, outcome } = await runToCheck(context, verb, request, { uninstall: uninstallTable });
      return { work, release: outcome.release };
    }
  }
}

async function runToCheck<
  Request extends PreviewRequest & { namespace: string; releaseName: string; timeout?: number },
  Outcome,
>(
  context: OperationContext,
  verb: Verb,
  given: Request,
  tables: VerbTables<Request, Outcome>,
): Promise<{ work: Work<Request>; outcome: Outcome }> {
  const request = { ...given, dryRun: true, preview: 'plan' as const };
  const work: Work<Request> = newWork(context, request);
  return { work, outcome: await runOperation(work, initialState(context, verb, request), tables) };
}

async function contentOf(
  context: OperationContext,
  { verb, request }: PlannableOperation,
  rehearsal: Rehearsal,
  salt: string,
): Promise<PlanContent> {
  const { work, release, unchanged = false, chartSignature } = rehearsal;
  const { previews = [], crds = [], access, chart } = work.cache;
  const revisions = [...work.cache.revisions.values()].sort((a, b) => a.release.version - b.release.version);
  const newest = revisions.at(-1);
  const target = 'version' in request ? request.version : undefined;
  const hooks = unchanged || release === undefined ? [] : hooksOf(verb, release, request.noHooks ?? false);
  // the hooks of a deletion are new: they have not run before
  const hooksBefore = verb === 'uninstall' ? [] : (newest?.release.hooks ?? []);
  const running = [...new Set(hooks.map(({ hook }) => hook))];
  const secret = answerRedaction(context, [...(release ? [release] : []), ...revisions.map((one) => one.release)]);
  const masked = async (all: readonly ObjectDifference[]) => {
    const shown = all.map(maskedDifference);
    return secret === undefined ? shown : await secret.differences(shown);
  };
  return {
    action: verb,
    ...(context.account !== undefined && { account: context.account }),
    request: plainRequest(request),
    ...(newest && { base: baseRevision(newest) }),
    used: usedRevisions(revisions, target ?? (verb === 'rollback' && newest ? newest.release.version - 1 : undefined)),
    ...(verb !== 'uninstall' && release && { release }),
    ...(unchanged && { unchanged }),
    ...(chartSignature && { chartSignature }),
    ...(chart && { chartBytes: chartBytes(chart) }),
    ...(release && { revision: release.version }),
    crds,
    crdDifferences: await masked(await crdDifferences(context, crds)),
    hooks: hooks.map(({ event, hook }) => plannedHook(event, hook)),
    hookDifferences: await masked(await hookDifferences(context, running, hooksBefore)),
    ...(access && { rights: neededRights(access) }),
    objects: previews.map((preview) => plannedObject(preview, salt)),
    differences: await masked(previews.flatMap(({ difference }) => (difference ? [difference] : []))),
  };
}

/** The options that are not plain data, or that the plan has a result of. */
const resolvedOptions: ReadonlySet<string> = new Set([
  'loadChart',
  'planned',
  'postRender',
  'preview',
  'set',
  'values',
  'valuesFrom',
  'sealedValues',
]);

/** Returns the options of a request that are plain data. */
function plainRequest(request: PlannableOperation['request']): PlainRequest {
  const plain = Object.entries(request).filter(([name]) => !resolvedOptions.has(name));
  return Object.fromEntries(plain) as PlainRequest; // without the options that its type leaves out
}

function hooksOf(
  verb: PlannableOperation['verb'],
  release: Release,
  noHooks: boolean,
): { event: string; hook: Hook }[] {
  if (noHooks) return [];
  const { status } = release.info;
  const event = verb === 'uninstall' ? 'delete' : status === 'pending-install' ? 'install' : verb;
  const name = verb === 'install' && status === 'pending-upgrade' ? 'upgrade' : event;
  const hooks: readonly Hook[] = release.hooks ?? [];
  return [`pre-${name}` as const, `post-${name}` as const].flatMap((at) =>
    placedHooks(hooks, at).map(({ hook }) => ({ event: at, hook })),
  );
}

function plannedHook(event: string, { kind, name, path, weight = 0, delete_policies = [] }: Hook): PlannedHook {
  return { event, weight, kind, name, path, deletePolicies: delete_policies };
}
