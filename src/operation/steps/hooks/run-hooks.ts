import type { FailFast } from '../../../readiness/index.ts';
import type { Hook, HookEvent } from '../../../release/hook.ts';
import { compareTexts } from '../../compare-texts.ts';
import { OperationError } from '../../error.ts';
import { withEvidence } from '../../evidence/with-evidence.ts';
import { withLogs } from '../../logs/with-logs.ts';
import { type HookRun, policiesOf } from '../../state/hook-run.ts';
import type { OperationState } from '../../state/operation-state.ts';
import { failFastOf, type FailFastOptions } from '../../wait/judge.ts';
import { waitUntilReady } from '../../wait/ready.ts';
import { ownRevision, type Work } from '../../work.ts';
import type { StateTools } from '../step.ts';
import { isTrusted, requireTrusted } from '../trust.ts';
import { applyHook, type PlacedHook } from './apply-hook.ts';
import { deleteAfterFailure, deleteApplied, type StartedHook, stopSuperseded } from './hook-objects.ts';
import { endedRun, mayVanish, runOf, runsOf, withRun } from './hook-runs.ts';
import { withHookTimeout } from './hook-timeout.ts';

export interface HookOptions {
  /** Selects hooks of the event. Default: all. */
  selects?: (hook: Hook) => boolean;
  /** Called after the last hook, before hooks are deleted by their policies. */
  beforeDeletion?: (hooks: readonly Hook[]) => Promise<void>;
  /** Problems that end the wait for a hook. Default: those of an operation without options. */
  failFast?: FailFastOptions;
  /** Time limit of hooks without their own, in milliseconds. Default: none. */
  hookTimeout?: number | undefined;
  /** Reports the logs of hooks while they run. Default: false. */
  logs?: boolean | undefined;
}

/**
 * Runs the hooks of an event one at a time, in the order of weight and name. Waits for Jobs and
 * Pods to end, deletes hooks by their policies, and stores the time of each run in the revision.
 * Continues an interrupted run: a hook that has ended does not run again. Throws `hook_failed`,
 * `ownership_conflict`, `release_not_trusted`, `timeout` or `cancelled`. An uninstallation that
 * undoes an installation leaves out hooks that are not trusted.
 */
export async function runHooks(
  initial: OperationState,
  work: Work<unknown>,
  event: HookEvent,
  tools: StateTools,
  {
    selects = () => true,
    beforeDeletion = () => Promise.resolve(),
    failFast = {},
    hookTimeout,
    logs,
  }: HookOptions = {},
): Promise<OperationState> {
  const own = await ownRevision(work, initial, tools.signal);
  const hooks = own.release.hooks ?? [];
  const placed = placedHooks(hooks, event).filter(({ hook }) => selects(hook));
  const selected = placed.map(({ hook }) => hook);
  if (placed.length === 0) {
    tools.skipped(`no ${event} hooks`);
    return initial;
  }
  if (initial.phase === 'uninstall' && !isTrusted(work.context, own)) {
    tools.skipped(`another client has changed revision ${own.release.version}, so its ${event} hooks do not run`);
    return initial;
  }
  requireTrusted(work.context, own, `${event} hooks do not run`);
  const ended = new Set(runsOf(initial, event).flatMap((run) => (run.phase === 'ended' ? [run.hook] : [])));
  let state = initial;
  for (const next of placed) {
    if (ended.has(next.index)) continue;
    tools.signal.throwIfAborted();
    tools.report({ message: `${event} hook ${next.hook.kind} ${next.hook.name}` });
    const applied = await applyHook(state, work, next, tools);
    state = await waitForHook(applied, work, next, {
      ...tools,
      hooks,
      failFast: failFastOf(failFast, state.deadline.timeout),
      hookTimeout,
      logs,
      beforeDeletion: () => beforeDeletion(selected),
    });
  }
  await beforeDeletion(selected);
  for (const started of startedHooks(hooks, runsOf(state, event)).reverse()) {
    await deleteApplied(work.context, started, 'hook-succeeded', { ...tools, deadline: state.deadline });
  }
  tools.done(`${placed.length} ${event} ${placed.length === 1 ? 'hook' : 'hooks'}`);
  return state;
}

/** Returns the hooks of an event in the order in which they run. */
export function placedHooks(hooks: readonly Hook[], event: HookEvent): PlacedHook[] {
  const placed = hooks.map((hook, index) => ({ event, index, hook }));
  return placed
    .filter(({ hook }) => hook.events.includes(event))
    .sort(({ hook: a }, { hook: b }) => (a.weight ?? 0) - (b.weight ?? 0) || compareTexts(a.name, b.name));
}

function startedHooks(hooks: readonly Hook[], runs: readonly HookRun[]): StartedHook[] {
  return runs.flatMap((run) => {
    const hook = hooks[run.hook];
    return hook === undefined ? [] : [{ hook, run }];
  });
}

interface HookTools extends StateTools {
  hooks: readonly Hook[];
  failFast: FailFast;
  hookTimeout: number | undefined;
  logs: boolean | undefined;
  beforeDeletion: () => Promise<void>;
}

/** Waits for the end of a hook. After a failure, deletes hooks by their policies. */
async function waitForHook(
  state: OperationState,
  work: Work<unknown>,
  { event, index, hook }: PlacedHook,
  { hooks, beforeDeletion, failFast, hookTimeout, logs = false, ...tools }: HookTools,
): Promise<OperationState> {
  const { context } = work;
  const { host } = context;
  const run = runOf(state, event, index);
  if (run === undefined) throw new Error(`hook ${hook.path} has not started`);
  try {
    const limit = { path: hook.path, timeout: run.timeout ?? hookTimeout, deadline: state.deadline };
    await withEvidence(state, work, tools, () =>
      withHookTimeout(context, limit, tools, async (own) => {
        const wait = () => waitForEnd(context, run, { tools: own, failFast });
        if (logs) await withLogs(state, work, own, { objects: run.applied, event }, wait);
        else await wait();
      }),
    );
  } catch (error) {
    const failed = endedRun(host, run, 'Failed');
    tools.keep(withRun(state, failed));
    const refs = run.applied.map(({ ref }) => ref);
    await stopSuperseded(context, run, refs, tools);
    await beforeDeletion();
    const others = runsOf(state, event).filter((other) => other.hook !== index);
    await deleteAfterFailure(context, { hook, run: failed }, startedHooks(hooks, others), tools);
    throw error;
  }
  const next = withRun(state, endedRun(host, run, 'Succeeded'));
  await tools.save(next, policiesOf(hook).includes('hook-succeeded') || isRepeated(hook, event) || mayVanish(hook));
  return next;
}

/** Whether the operation runs the hook at another event too, for which its objects are deleted. */
function isRepeated({ events }: Hook, event: HookEvent): boolean {
  const action = event.split('-')[1];
  return events.some((other) => other !== event && other.split('-')[1] === action);
}

async function waitForEnd(
  context: Work<unknown>['context'],
  { applied }: HookRun,
  { tools, failFast }: { tools: StateTools; failFast: FailFast },
): Promise<void> {
  const ending = applied.filter(({ ref: { kind } }) => kind === 'Job' || kind === 'Pod');
  try {
    await waitUntilReady(ending, { context, tools, toCompletion: ['Job', 'Pod'], labelled: false, failFast });
  } catch (cause) {
    if (!(cause instanceof OperationError) || cause.code !== 'not_ready') throw cause;
    throw new OperationError('hook_failed', cause.message, { cause, resources: cause.resources });
  }
}
